// SPDX-License-Identifier: Apache-2.0
/** The pool of a device's own: memory in the order of streams. */
#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kSize = 5000;
constexpr std::uint64_t kKiB = 1024;

collet_status_t try_pool(const Stream& stream, std::uint64_t size_bytes,
                         collet_plugin_memory_t** out_memory, std::uint64_t alignment_bytes = 0) {
  return call("pool.allocate", stream.device().pool().allocate, stream.handle(), size_bytes,
              alignment_bytes, out_memory);
}

/** Memory of the pool, freed on its stream with the object. */
class Pooled {
 public:
  Pooled(const Stream& stream, std::uint64_t size_bytes, std::uint64_t alignment_bytes = 0)
      : Pooled(stream, make(stream, size_bytes, alignment_bytes)) {}
  /** Takes it over. */
  Pooled(const Stream& stream, Memory memory) noexcept
      : stream_(&stream), memory_(std::move(memory)) {}
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;
  ~Pooled() { free(); }

  void free() {
    if (memory_.handle() == nullptr) return;
    note_call("pool.free");
    stream_->device().pool().free(memory_.release(), stream_->handle());
  }

  [[nodiscard]] const Memory& operator*() const noexcept { return memory_; }
  [[nodiscard]] const Memory* operator->() const noexcept { return &memory_; }

 private:
  static Memory make(const Stream& stream, std::uint64_t size_bytes,
                     std::uint64_t alignment_bytes) {
    collet_plugin_memory_t* made = nullptr;
    expect_ok(try_pool(stream, size_bytes, &made, alignment_bytes),
              "allocating " + std::to_string(size_bytes) + " bytes of the pool");
    expect(made != nullptr, "pool.allocate answered OK, and gave no memory");
    return {stream.device(), made, size_bytes};
  }

  const Stream* stream_;
  Memory memory_;
};

struct PoolInfo {
  std::uint64_t reserved_bytes = 0;
  std::uint64_t used_bytes = 0;
};

PoolInfo info_of(Device& device) {
  PoolInfo now;
  expect_ok(
      call("pool.info", device.pool().info, device.handle(), &now.reserved_bytes, &now.used_bytes),
      "pool.info");
  expect(now.used_bytes <= now.reserved_bytes, "more of the pool is allocated than it has");
  return now;
}

std::uint64_t trim(Device& device) {
  std::uint64_t released_bytes = 0;
  expect_ok(call("pool.trim", device.pool().trim, device.handle(), &released_bytes), "pool.trim");
  return released_bytes;
}

/** A quarter of what is free on the device. */
std::uint64_t quarter_of(Device& device) {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  expect_ok(call("memory.info", device.memory().info, device.handle(), &free_bytes, &total_bytes),
            "memory.info");
  return std::min(free_bytes / 4, device.traits(COLLET_MEMORY_DEVICE).max_allocation_bytes);
}

/** Writes memory that others have got meanwhile: none of it may be that of a command in flight. */
void write_elsewhere(const Stream& other, const Bytes& bytes) {
  std::deque<Pooled> pooled;
  std::deque<Memory> plain;
  for (int i = 0; i < 8; ++i) {
    other.upload(*pooled.emplace_back(other, bytes.size()), bytes);
    other.upload(plain.emplace_back(other.device(), bytes.size()), bytes);
  }
}

}  // namespace

CONFORMANCE_CASE("PLUG-POOL-1 kernels see memory of the pool at the alignment that is asked for",
                 clauses("PLUG-POOL-1"), needs(Capability::kPool, Capability::kPrograms),
                 does("Allocates sizes at each alignment, and takes addresses from a kernel.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "address");
  const Memory out(device, sizeof(std::uint64_t));
  const Stream stream(device);
  const collet_memory_traits_t traits = device.traits(COLLET_MEMORY_DEVICE);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 21;
  for (std::uint64_t asked = 64; asked <= std::min(traits.max_alignment_bytes, kMost); asked *= 2) {
    std::deque<Pooled> live;
    for (const std::uint64_t size : {1U, 100U, 4097U}) {
      const Pooled& memory = live.emplace_back(stream, size, asked);
      expect_ok(Launch().memory(out).memory(*memory).enqueue(stream, kernel), "launch");
      const Bytes bytes = stream.download(out);
      std::uint64_t address = 0;
      std::memcpy(&address, bytes.data(), sizeof(address));
      expect(address % std::max(asked, traits.alignment_bytes) == 0,
             "memory of the pool lies at an address that is not a multiple of " +
                 std::to_string(asked));
    }
  }
}

CONFORMANCE_CASE(
    "PLUG-POOL-1 live memories of the pool do not share bytes, with none of them too",
    clauses("PLUG-POOL-1"), needs(Capability::kPool),
    does("Allocates many sizes beside ordinary memory, frees half, allocates anew, and "
         "writes each in full.")) {
  Device& device = test.device();
  const Stream stream(device);
  std::vector<Memory> plain;
  std::deque<Pooled> pooled;
  const auto grow = [&](std::uint64_t step) {
    for (std::uint64_t size = 0; size < 300; size += step) {
      pooled.emplace_back(stream, size * size);
      if (size % 3 == 0) plain.emplace_back(device, size * size);
    }
  };
  const auto expect_distinct = [&] {
    std::vector<const Memory*> all;
    all.reserve(plain.size() + pooled.size());
    for (const Memory& memory : plain) all.push_back(&memory);
    for (const Pooled& memory : pooled) all.push_back(&*memory);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        expect(all[i]->handle() != all[j]->handle(), "two live memories have one handle");
      }
      stream.upload(*all[i], payload(all[i]->size(), i));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      expect_bytes(stream.download(*all[i]), payload(all[i]->size(), i),
                   "memory " + std::to_string(i) + " after the others were written");
    }
  };
  grow(7);
  expect_distinct();
  for (std::size_t left = pooled.size() / 2; left > 0; --left) pooled.pop_front();
  grow(11);
  expect_distinct();
}

CONFORMANCE_CASE("PLUG-POOL-1 a failed stream gets memory, and frees it", clauses("PLUG-POOL-1"),
                 needs(Capability::kPool, Capability::kFailingKernels),
                 does("Allocates and frees after a kernel has failed, and uses the memory after a "
                      "reset.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "fail");
  const Stream stream(device);
  Pooled before(stream, kSize);
  expect_ok(Launch().enqueue(stream, kernel), "launch");
  expect_status(stream.synchronize(), COLLET_ERROR_COMMAND_FAILED, "synchronize");
  before.free();
  const Pooled memory(stream, kSize);
  expect_ok(stream.reset(), "reset");
  stream.upload(*memory, payload(kSize, 1));
  expect_bytes(stream.download(*memory), payload(kSize, 1), "memory of a stream that had failed");
}

CONFORMANCE_CASE("PLUG-POOL-2 commands before a free keep the memory, whoever has it afterwards",
                 clauses("PLUG-POOL-2"), needs(Capability::kPool),
                 does("Frees the source of a copy behind a gate; another stream, allocations "
                      "outside the pool and its own stream then write what they get.")) {
  Device& device = test.device();
  const Memory out(device, kSize);
  const Bytes sent = payload(kSize, 1);
  const Stream stream(device);
  const Stream other(device);
  Pooled freed(stream, kSize);
  stream.upload(*freed, sent);
  {
    const Gate gate(stream);
    expect_ok(stream.copy(out, 0, *freed, 0, kSize), "copy");
    expect_return([&] { freed.free(); }, "pool.free waits for commands of its stream");
    write_elsewhere(other, complement(sent));
    const Pooled again(stream, kSize);
    const std::uint8_t pattern = 0;
    expect_ok(stream.fill(*again, 0, kSize, &pattern, 1), "fill");
  }
  expect_bytes(stream.download(out), sent, "a copy that was enqueued before the free");
}

CONFORMANCE_CASE("PLUG-POOL-2 commands before a free keep the memory, also if their stream ends",
                 clauses("PLUG-POOL-2"), needs(Capability::kPool),
                 does("Frees the source of a copy behind a gate, and destroys the stream.")) {
  Device& device = test.device();
  const Memory out(device, kSize);
  const Bytes sent = payload(kSize, 1);
  const Stream other(device);
  const Event done(device);
  {
    std::optional<Stream> stream(std::in_place, device);
    Pooled freed(*stream, kSize);
    stream->upload(*freed, sent);
    const Gate gate(*stream);
    expect_ok(stream->copy(out, 0, *freed, 0, kSize), "copy");
    stream->record(done);
    freed.free();
    note_call("stream.destroy");
    device.stream().destroy(stream->release());
    trim(device);
    write_elsewhere(other, complement(sent));
  }
  expect_ok(done.synchronize(), "synchronize");
  expect_bytes(other.download(out), sent, "a copy of a stream that was destroyed");
}

CONFORMANCE_CASE("PLUG-POOL-3 a stream has what it freed again at once", clauses("PLUG-POOL-3"),
                 needs(Capability::kPool),
                 does("Behind a gate, allocates and frees quarters of the device's memory.")) {
  Device& device = test.device();
  const Stream stream(device);
  const std::uint64_t piece = quarter_of(device);
  const Gate gate(stream);
  for (int i = 0; i < 20; ++i) {
    const Pooled memory(stream, piece);
    const std::uint8_t pattern = 1;
    expect_ok(stream.fill(*memory, 0, 64, &pattern, 1), "fill");
  }
}

CONFORMANCE_CASE("PLUG-POOL-3 others have what a stream freed once it has come to that",
                 clauses("PLUG-POOL-3"), needs(Capability::kPool),
                 does("Allocates and frees quarters of the device's memory on many streams.")) {
  Device& device = test.device();
  const std::uint64_t piece = quarter_of(device);
  for (int i = 0; i < 20; ++i) {
    const Stream stream(device);
    {
      const Pooled memory(stream, piece);
      stream.upload(*memory, payload(64, 1));
    }
    stream.finish();
  }
}

CONFORMANCE_CASE("PLUG-POOL-4 info tells what the pool has, and a trim gives back what is free",
                 clauses("PLUG-POOL-4"), needs(Capability::kPool),
                 does("Looks at the figures around allocations, frees and trims.")) {
  Device& device = test.device();
  const Stream stream(device);
  trim(device);
  const PoolInfo before = info_of(device);
  expect(before.used_bytes == 0, "memory of the pool counts as allocated before there is any");
  std::deque<Pooled> live;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    live.emplace_back(stream, 64 * kKiB);
    expect(info_of(device).used_bytes >= i * 64 * kKiB, "memory is allocated, and not counted");
  }
  live.pop_front();
  stream.finish();
  trim(device);
  expect(info_of(device).used_bytes >= 128 * kKiB, "a trim takes memory that is allocated");
  live.clear();
  stream.finish();
  const PoolInfo kept = info_of(device);
  expect(kept.used_bytes == 0, "memory counts as allocated after it was freed");
  const std::uint64_t released = trim(device);
  expect(info_of(device).reserved_bytes == 0, "the pool has memory after a trim");
  expect(released == kept.reserved_bytes, "a trim says that it released " +
                                              std::to_string(released) + " bytes of " +
                                              std::to_string(kept.reserved_bytes));
}

CONFORMANCE_CASE("PLUG-POOL-4 allocations outside the pool have what a trim gave back",
                 clauses("PLUG-POOL-4"), needs(Capability::kPool),
                 does("Fills the device by the pool, frees and trims, and fills it without.")) {
  Device& device = test.device();
  const Stream stream(device);
  const std::uint64_t piece = quarter_of(device);
  for (int round = 0; round < 3; ++round) {
    {
      std::deque<Pooled> live;
      for (int i = 0; i < 3; ++i) live.emplace_back(stream, piece);
    }
    stream.finish();
    trim(device);
    std::deque<Memory> live;
    for (int i = 0; i < 3; ++i) live.emplace_back(device, piece);
  }
}

CONFORMANCE_CASE("PLUG-POOL-4 a trim leaves what commands in flight use", clauses("PLUG-POOL-4"),
                 needs(Capability::kPool),
                 does("Trims after the source of a copy behind a gate was freed.")) {
  Device& device = test.device();
  const Memory out(device, kSize);
  const Bytes sent = payload(kSize, 1);
  const Stream stream(device);
  const Stream other(device);
  Pooled freed(stream, kSize);
  stream.upload(*freed, sent);
  {
    const Gate gate(stream);
    expect_ok(stream.copy(out, 0, *freed, 0, kSize), "copy");
    freed.free();
    trim(device);
    write_elsewhere(other, complement(sent));
  }
  expect_bytes(stream.download(out), sent, "a copy that was enqueued before free and trim");
}

CONFORMANCE_CASE("PLUG-POOL-5 what does not fit is OUT_OF_DEVICE_MEMORY, and nothing else changes",
                 clauses("PLUG-POOL-5"), needs(Capability::kPool),
                 does("Asks for more than there is, around ordinary allocations, and fills the "
                      "device three times over.")) {
  Device& device = test.device();
  const Stream stream(device);
  const Bytes sent = payload(kSize, 1);
  const Pooled kept(stream, kSize);
  stream.upload(*kept, sent);
  const std::uint64_t total = device.traits(COLLET_MEMORY_DEVICE).max_allocation_bytes;
  for (const std::uint64_t size : {total < UINT64_MAX / 2 ? total * 2 : UINT64_MAX, UINT64_MAX / 2,
                                   UINT64_MAX - 4096, UINT64_MAX}) {
    collet_plugin_memory_t* memory = nullptr;
    expect_status(try_pool(stream, size, &memory), COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                  "allocating " + std::to_string(size) + " bytes of " + std::to_string(total));
    expect(memory == nullptr, "a failing allocate wrote to its out parameter");
  }
  const std::uint64_t piece = quarter_of(device);
  for (int round = 0; round < 3; ++round) {
    std::deque<Pooled> live;
    for (;;) {
      collet_plugin_memory_t* memory = nullptr;
      const collet_status_t status = try_pool(stream, piece, &memory);
      if (status != COLLET_OK) {
        expect_status(status, COLLET_ERROR_OUT_OF_DEVICE_MEMORY, "allocating on a full device");
        break;
      }
      live.emplace_back(stream, Memory(device, memory, piece));
      expect(live.size() <= 8, "twice what was free on the device can be allocated");
    }
    expect(!live.empty(), "nothing can be allocated after all was freed");
  }
  expect_bytes(stream.download(*kept), sent, "memory that was allocated before");
}

}  // namespace collet::conformance
