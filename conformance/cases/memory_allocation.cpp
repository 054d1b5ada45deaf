// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr std::array kKinds = {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED, COLLET_MEMORY_SHARED};

std::string kind_name(collet_memory_kind_t kind) {
  switch (kind) {
    case COLLET_MEMORY_DEVICE:
      return "device memory";
    case COLLET_MEMORY_PINNED:
      return "pinned memory";
    default:
      return "shared memory";
  }
}

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/** Alignments to ask for: the declared one, by default and by number, up to the greatest. */
std::vector<std::uint64_t> alignments(const collet_memory_traits_t& traits) {
  std::vector<std::uint64_t> out = {0};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 21;
  for (std::uint64_t a = 64; a <= std::min(traits.max_alignment_bytes, kMost); a *= 2) {
    out.push_back(a);
  }
  return out;
}

std::uint64_t expected_alignment(const collet_memory_traits_t& traits, std::uint64_t asked) {
  return std::max(traits.alignment_bytes, asked);
}

void expect_aligned(std::uint64_t address, std::uint64_t alignment, const std::string& what) {
  if (address % alignment == 0) return;
  fail(what + " lies at an address that is not a multiple of " + std::to_string(alignment));
}

/** Fills memories with payloads of their own, and finds each as it was. */
void expect_distinct(const Stream& stream, const std::vector<Memory>& memories) {
  for (std::size_t i = 0; i < memories.size(); ++i) {
    stream.upload(memories[i], payload(memories[i].size(), i));
  }
  for (std::size_t i = 0; i < memories.size(); ++i) {
    expect_bytes(stream.download(memories[i]), payload(memories[i].size(), i),
                 "memory " + std::to_string(i) + " of " + std::to_string(memories.size()) +
                     " after the others were written");
  }
}

}  // namespace

CONFORMANCE_CASE("PLUG-MEM-1 the traits of memory make sense", clauses("PLUG-MEM-1"), kMandatory,
                 does("Looks at alignments, granularity and sizes of each kind.")) {
  Device& device = test.device();
  expect(device.traits(COLLET_MEMORY_DEVICE).supported == 1, "there is no device memory");
  for (const collet_memory_kind_t kind : kKinds) {
    const collet_memory_traits_t traits = device.traits(kind);
    if (traits.supported == 0) continue;
    const std::string name = kind_name(kind);
    expect(is_power_of_two(traits.alignment_bytes) && traits.alignment_bytes >= 64,
           name + ": alignment_bytes is no power of two of at least 64");
    expect(is_power_of_two(traits.max_alignment_bytes) &&
               traits.max_alignment_bytes >= traits.alignment_bytes,
           name + ": max_alignment_bytes is no power of two of at least alignment_bytes");
    expect(traits.offset_alignment_bytes != 0, name + ": offset_alignment_bytes is 0");
    expect(traits.granularity_bytes != 0, name + ": granularity_bytes is 0");
    expect(traits.max_allocation_bytes != 0, name + ": max_allocation_bytes is 0");
  }
}

CONFORMANCE_CASE("PLUG-MEM-1 the host sees memory at the alignment that is declared or asked for",
                 clauses("PLUG-MEM-1"), kMandatory,
                 does("Allocates many sizes at each alignment, and looks at host addresses.")) {
  Device& device = test.device();
  for (const collet_memory_kind_t kind : kKinds) {
    const collet_memory_traits_t traits = device.traits(kind);
    if (traits.supported == 0) continue;
    for (const std::uint64_t asked : alignments(traits)) {
      std::vector<Memory> memories;
      for (const std::uint64_t size : {1U, 3U, 64U, 65U, 100U, 1000U, 4097U, 100000U}) {
        memories.emplace_back(device, size, kind, asked);
        if (const std::uint8_t* const address = memories.back().host_pointer_if_any()) {
          expect_aligned(reinterpret_cast<std::uintptr_t>(address),
                         expected_alignment(traits, asked), kind_name(kind));
        }
      }
    }
  }
}

CONFORMANCE_CASE("PLUG-MEM-1 kernels see memory at the alignment that is declared or asked for",
                 clauses("PLUG-MEM-1"), needs(Capability::kPrograms),
                 does("As before, with addresses that a kernel reports.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "address");
  const Memory out(device, sizeof(std::uint64_t));
  const Stream stream(device);
  const collet_memory_traits_t traits = device.traits(COLLET_MEMORY_DEVICE);
  for (const std::uint64_t asked : alignments(traits)) {
    for (const std::uint64_t size : {1U, 100U, 4097U}) {
      const Memory memory(device, size, COLLET_MEMORY_DEVICE, asked);
      expect_ok(Launch().memory(out).memory(memory).enqueue(stream, kernel), "launch");
      const Bytes bytes = stream.download(out);
      std::uint64_t address = 0;
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(&address));
      expect_aligned(address, expected_alignment(traits, asked), "device memory");
    }
  }
}

CONFORMANCE_CASE("PLUG-MEM-2 memory of no bytes is distinct and usable", clauses("PLUG-MEM-2"),
                 kMandatory,
                 does("Allocates a hundred memories of no bytes, and makes empty commands on "
                      "them.")) {
  Device& device = test.device();
  for (const collet_memory_kind_t kind : kKinds) {
    if (device.traits(kind).supported == 0) continue;
    std::vector<Memory> memories;
    std::set<const void*> handles;
    std::set<const void*> addresses;
    for (int i = 0; i < 100; ++i) {
      memories.emplace_back(device, 0, kind);
      expect(handles.insert(memories.back().handle()).second,
             "two memories of no bytes have one handle (" + kind_name(kind) + ")");
      if (const std::uint8_t* const address = memories.back().host_pointer_if_any()) {
        expect(addresses.insert(address).second,
               "two memories of no bytes have one address (" + kind_name(kind) + ")");
      }
    }
    const Stream stream(device);
    const std::uint8_t pattern = 1;
    std::uint8_t nothing = 0;
    expect_ok(stream.copy(memories[0], 0, memories[1], 0, 0), "an empty copy");
    expect_ok(stream.fill(memories[0], 0, 0, &pattern, 1), "an empty fill");
    expect_ok(stream.write(memories[0], 0, &nothing, 0), "an empty write");
    expect_ok(stream.read(&nothing, memories[0], 0, 0), "an empty read");
    stream.finish();
  }
}

CONFORMANCE_CASE("PLUG-MEM-3 live memories do not share bytes", clauses("PLUG-MEM-3"), kMandatory,
                 does("Allocates memories of all sizes from 1 to 300 and around powers of two, "
                      "frees some, allocates anew, and writes each in full.")) {
  Device& device = test.device();
  for (const collet_memory_kind_t kind : kKinds) {
    if (device.traits(kind).supported == 0) continue;
    std::vector<Memory> memories;
    for (std::uint64_t size = 1; size <= 300; ++size) memories.emplace_back(device, size, kind);
    for (std::uint64_t power = 512; power <= (1 << 18); power *= 2) {
      for (const std::uint64_t size : {power - 1, power, power + 1}) {
        memories.emplace_back(device, size, kind);
      }
    }
    const Stream stream(device);
    expect_distinct(stream, memories);
    std::vector<Memory> kept;
    for (std::size_t i = 150; i < memories.size(); ++i) kept.push_back(std::move(memories[i]));
    memories = std::move(kept);
    for (std::uint64_t size = 300; size > 150; --size) memories.emplace_back(device, size, kind);
    expect_distinct(stream, memories);
  }
}

CONFORMANCE_CASE("PLUG-MEM-3 threads that allocate at once get memories of their own",
                 clauses("PLUG-MEM-3"), kStress,
                 does("Four threads allocate, write, read back and free.")) {
  Device& device = test.device();
  run_threads(4, [&](std::size_t thread) {
    const Stream stream(device);
    Random random(thread);
    for (int round = 0; round < 10; ++round) {
      std::vector<Memory> memories;
      memories.reserve(30);
      for (int i = 0; i < 30; ++i) memories.emplace_back(device, random.between(1, 5000));
      for (std::size_t i = 0; i < memories.size(); ++i) {
        stream.upload(memories[i], payload(memories[i].size(), thread * 1000 + i));
      }
      for (std::size_t i = 0; i < memories.size(); ++i) {
        expect_bytes(stream.download(memories[i]), payload(memories[i].size(), thread * 1000 + i),
                     "memory of thread " + std::to_string(thread));
      }
    }
  });
}

CONFORMANCE_CASE("PLUG-MEM-4 what does not fit is OUT_OF_DEVICE_MEMORY, and nothing else changes",
                 clauses("PLUG-MEM-4"), kMandatory,
                 does("Asks for more than there is, a thousand times, around ordinary "
                      "allocations.")) {
  Device& device = test.device();
  const std::uint64_t total = device.traits(COLLET_MEMORY_DEVICE).max_allocation_bytes;
  const Stream stream(device);
  const Bytes sent = payload(5000, 1);
  const Memory kept(device, sent.size());
  stream.upload(kept, sent);
  const std::vector<std::uint64_t> sizes = {total < UINT64_MAX / 2 ? total * 2 : UINT64_MAX,
                                            UINT64_MAX / 2, UINT64_MAX - 4096, UINT64_MAX - 63,
                                            UINT64_MAX};
  for (int round = 0; round < 200; ++round) {
    for (const std::uint64_t size : sizes) {
      collet_plugin_memory_t* memory = nullptr;
      expect_status(try_allocate(device, COLLET_MEMORY_DEVICE, size, 0, &memory),
                    COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                    "allocating " + std::to_string(size) + " bytes of " + std::to_string(total));
      expect(memory == nullptr, "a failing allocate wrote to its out parameter");
    }
    const Memory after(device, sent.size());
    stream.upload(after, sent);
  }
  expect_bytes(stream.download(kept), sent, "memory that was allocated before");
}

CONFORMANCE_CASE("PLUG-MEM-4 a full device says so, and is usable again after a free",
                 clauses("PLUG-MEM-4"), kMandatory,
                 does("Allocates eighths of the device's memory until there is no more, three "
                      "times over.")) {
  Device& device = test.device();
  const collet_memory_traits_t traits = device.traits(COLLET_MEMORY_DEVICE);
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  expect_ok(call("memory.info", device.memory().info, device.handle(), &free_bytes, &total_bytes),
            "memory.info");
  const std::uint64_t piece = std::min(total_bytes / 8 + 1, traits.max_allocation_bytes);
  const std::uint64_t most = total_bytes / piece + 1;
  std::size_t first_count = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<Memory> memories;
    for (;;) {
      collet_plugin_memory_t* memory = nullptr;
      const collet_status_t status = try_allocate(device, COLLET_MEMORY_DEVICE, piece, 0, &memory);
      if (status != COLLET_OK) {
        expect_status(status, COLLET_ERROR_OUT_OF_DEVICE_MEMORY, "allocating on a full device");
        break;
      }
      memories.emplace_back(device, memory, piece);
      expect(memories.size() <= most, std::to_string(memories.size()) + " memories of " +
                                          std::to_string(piece) +
                                          " bytes are alive on a device "
                                          "of " +
                                          std::to_string(total_bytes));
    }
    if (round == 0) first_count = memories.size();
    // Other programs use the memory too, so the number need not be the same.
    expect(!memories.empty() || first_count == 0, "nothing can be allocated after all was freed");
  }
  const Memory small(device, 64);
  const Stream stream(device);
  stream.upload(small, payload(64, 3));
  expect_bytes(stream.download(small), payload(64, 3), "memory after the device was full");
}

CONFORMANCE_CASE("PLUG-MEM-6 each kind is allocated, or UNSUPPORTED, as its traits say",
                 clauses("PLUG-MEM-6"), kMandatory,
                 does("Allocates each kind, and registers host memory.")) {
  Device& device = test.device();
  for (const collet_memory_kind_t kind : kKinds) {
    const bool is_supported = device.traits(kind).supported != 0;
    for (const std::uint64_t size : {0U, 64U, 5000U}) {
      collet_plugin_memory_t* memory = nullptr;
      const collet_status_t status = try_allocate(device, kind, size, 0, &memory);
      expect_status(status, is_supported ? COLLET_OK : COLLET_ERROR_UNSUPPORTED,
                    "allocating " + kind_name(kind) +
                        ", whose traits say supported = " + (is_supported ? "1" : "0"));
      if (status == COLLET_OK) const Memory owner(device, memory, size);
    }
  }
  std::vector<std::uint8_t> host(4096);
  collet_plugin_memory_t* memory = nullptr;
  const collet_status_t status = call("memory.register_host", device.memory().register_host,
                                      device.handle(), host.data(), host.size(), &memory);
  if (status == COLLET_OK) {
    const Memory owner(device, memory, host.size());
    expect(device.traits(COLLET_MEMORY_PINNED).supported != 0,
           "host memory can be registered, although there is no pinned memory");
  } else {
    expect_status(status, COLLET_ERROR_UNSUPPORTED, "registering host memory");
  }
}

}  // namespace collet::conformance
