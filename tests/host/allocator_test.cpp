// SPDX-License-Identifier: Apache-2.0
// Allocators of any device: what they give, count, limit, and give back.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "gate.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Buffer allocate_from(const Allocator& allocator, const Stream& stream, std::uint64_t size_bytes,
                     collet_memory_kind_t kind = COLLET_MEMORY_DEVICE,
                     std::uint64_t alignment_bytes = 0) {
  auto desc = alloc_desc(size_bytes, kind);
  desc.allocator = allocator.get();
  desc.alignment_bytes = alignment_bytes;
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_OK);
  return Buffer(made);
}

collet_status_t try_allocate(const Allocator& allocator, const Stream& stream,
                             std::uint64_t size_bytes, std::uint64_t timeout_ns = 0) {
  auto desc = alloc_desc(size_bytes);
  desc.allocator = allocator.get();
  desc.timeout_ns = timeout_ns;
  collet_buffer_t* made = nullptr;
  const auto status = COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &made);
  collet_buffer_release(made);
  return status;
}

void check_order(const collet_memory_statistics_t& now) {
  CHECK(now.requested_bytes.current <= now.allocated_bytes.current);
  CHECK(now.allocated_bytes.current <= now.active_bytes.current);
  CHECK(now.active_bytes.current <= now.reserved_bytes.current);
}

std::uint64_t trim(const Allocator& allocator, std::uint64_t timeout_ns = COLLET_TIMEOUT_INFINITE) {
  std::uint64_t released_bytes = 0;
  REQUIRE(collet_allocator_trim(allocator.get(), timeout_ns, &released_bytes) == COLLET_OK);
  return released_bytes;
}

collet_allocator_desc_t allocator_desc(const char* name = nullptr) {
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.name = name;
  return desc;
}

std::string report(const Allocator& allocator, collet_report_format_t format) {
  std::uint64_t size_bytes = 0;
  REQUIRE(collet_allocator_report(allocator.get(), format, nullptr, 0, &size_bytes) == COLLET_OK);
  std::string text(size_bytes, '?');
  REQUIRE(collet_allocator_report(allocator.get(), format, text.data(), size_bytes, &size_bytes) ==
          COLLET_OK);
  REQUIRE(size_bytes <= text.size());
  CHECK(text[size_bytes - 1] == '\0');
  text.resize(size_bytes - 1);
  return text;
}

}  // namespace

TEST_CASE("HOST-MEM-6 an allocator counts what it gives, at each step", "[pooling]") {
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_allocator(tested_device());
  CHECK(statistics_of(allocator).reserved_bytes.total == 0);
  Buffer first = allocate_from(allocator, stream, 1000);
  Buffer second = allocate_from(allocator, stream, 0);
  auto now = statistics_of(allocator);
  check_order(now);
  CHECK(now.requested_bytes.current == 1000);
  CHECK(now.allocated_bytes.current >= 1024);
  CHECK(now.buffers.current == 2);
  CHECK(now.segments.current == 1);
  CHECK(now.split_bytes == now.reserved_bytes.current - now.active_bytes.current);
  const auto highest = now;
  first.reset();
  second.reset();
  now = statistics_of(allocator);
  CHECK(now.requested_bytes.current == 0);
  CHECK(now.allocated_bytes.current == 0);
  CHECK(now.active_bytes.current == 0);
  CHECK(now.buffers.current == 0);
  CHECK(now.split_bytes == 0);
  CHECK(now.largest_free_bytes == now.reserved_bytes.current);
  CHECK(now.fragmentation == 0);
  CHECK(now.requested_bytes.peak == 1000);
  CHECK(now.allocated_bytes.peak == highest.allocated_bytes.current);
  CHECK(now.buffers.peak == 2);
  CHECK(now.buffers.total == 2);
  CHECK(now.requested_bytes.total == 1000);
  CHECK(trim(allocator) == highest.reserved_bytes.current);
  now = statistics_of(allocator);
  CHECK(now.reserved_bytes.current == 0);
  CHECK(now.segments.current == 0);
  CHECK(now.reserved_bytes.peak == highest.reserved_bytes.current);
}

TEST_CASE("HOST-MEM-6 peaks are those since the last reset") {
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_allocator(tested_device());
  allocate_from(allocator, stream, 5000);
  const Buffer kept = allocate_from(allocator, stream, 700);
  REQUIRE(COLLET_CALL(collet_allocator_reset_peaks, allocator.get()) == COLLET_OK);
  CHECK(statistics_of(allocator).requested_bytes.peak == 700);
  CHECK(statistics_of(allocator).buffers.peak == 1);
  allocate_from(allocator, stream, 100);
  CHECK(statistics_of(allocator).requested_bytes.peak == 800);
  CHECK(statistics_of(allocator).buffers.peak == 2);
}

TEST_CASE("HOST-MEM-6 the peak is that of the sum over all streams, whichever of them rises") {
  const Allocator allocator = make_allocator(tested_device());
  std::vector<Stream> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(make_stream(tested_device()));
  }
  std::vector<Buffer> live;
  std::uint64_t sum = 0;
  std::uint64_t peak = 0;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t step = 0; step < 400; ++step) {
    const std::uint64_t size = step * 7919 % 3000;
    live.push_back(allocate_from(allocator, streams[step % 3], size));
    sizes.push_back(size);
    sum += size;
    peak = std::max(peak, sum);
    if (step % 5 != 0) {
      const std::size_t at = step * 31 % live.size();
      sum -= sizes[at];
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const auto now = statistics_of(allocator);
    REQUIRE(now.requested_bytes.current == sum);
    REQUIRE(now.requested_bytes.peak == peak);
    REQUIRE(now.buffers.current == live.size());
  }
}

TEST_CASE("HOST-MEM-6 memory that other streams hold is active, and not allocated", "[pooling]") {
  const Stream own = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Stream other = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Allocator allocator = make_allocator(tested_device());
  Buffer buffer = allocate_from(allocator, own, kMiB);
  {
    Gate gate(other);
    REQUIRE(collet_buffer_use_on(buffer.get(), other.get()) == COLLET_OK);
    buffer.reset();
    auto now = statistics_of(allocator);
    check_order(now);
    CHECK(now.allocated_bytes.current == 0);
    CHECK(now.active_bytes.current == kMiB);
    CHECK(trim(allocator, 0) == 0);
    CHECK(statistics_of(allocator).reserved_bytes.current >= kMiB);
    gate.open();
    synchronize(other);
    CHECK(statistics_of(allocator).active_bytes.current == 0);
  }
  CHECK(trim(allocator) >= kMiB);
}

TEST_CASE("HOST-MEM-7 a limit is never exceeded, and what is free below it is used first") {
  const Stream stream = make_stream(tested_device());
  const Stream other = make_stream(tested_device());
  auto desc = allocator_desc("limited");
  desc.limit_bytes = 4 * kMiB;
  const Allocator allocator = make_allocator(tested_device(), &desc);
  Buffer first = allocate_from(allocator, stream, 3 * kMiB);
  CHECK(try_allocate(allocator, stream, 2 * kMiB) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("the limit of 4.00 MiB"));
  auto now = statistics_of(allocator);
  CHECK(now.out_of_memory == 1);
  CHECK(now.retries == 1);
  CHECK(now.limit_bytes == 4 * kMiB);
  CHECK(now.reserved_bytes.current <= 4 * kMiB);
  // What it has for another size and another stream must serve.
  first.reset();
  CHECK(try_allocate(allocator, other, 4 * kMiB) == COLLET_OK);
  CHECK(try_allocate(allocator, stream, 512) == COLLET_OK);
  CHECK(try_allocate(allocator, stream, 4 * kMiB + 1) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("can never fit"));
  now = statistics_of(allocator);
  CHECK(now.reserved_bytes.peak <= 4 * kMiB);
  CHECK(now.out_of_memory == 2);
}

TEST_CASE("HOST-MEM-7 a limit can be set later, and be taken away") {
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_allocator(tested_device());
  REQUIRE(COLLET_CALL(collet_allocator_set_limit, allocator.get(), COLLET_MEMORY_DEVICE, kMiB) ==
          COLLET_OK);
  CHECK(try_allocate(allocator, stream, 2 * kMiB) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(try_allocate(allocator, stream, kMiB) == COLLET_OK);
  REQUIRE(COLLET_CALL(collet_allocator_set_limit, allocator.get(), COLLET_MEMORY_DEVICE, 0) ==
          COLLET_OK);
  CHECK(try_allocate(allocator, stream, 2 * kMiB) == COLLET_OK);
  CHECK(statistics_of(allocator).limit_bytes == 0);
  const auto none = static_cast<collet_memory_kind_t>(3);
  CHECK(COLLET_CALL(collet_allocator_set_limit, allocator.get(), none, 0) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  auto out = out_struct<collet_memory_statistics_t>(COLLET_STRUCT_MEMORY_STATISTICS);
  CHECK(COLLET_CALL(collet_allocator_statistics, allocator.get(), none, &out) ==
        COLLET_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("HOST-MEM-7 half of a block that was split serves again while the other half waits") {
  const Stream own = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Stream other = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  auto desc = allocator_desc();
  desc.limit_bytes = 100 * kMiB;
  const Allocator allocator = make_allocator(tested_device(), &desc);
  allocate_from(allocator, own, 60 * kMiB);
  const Buffer kept = allocate_from(allocator, own, 30 * kMiB);
  Buffer waiting = allocate_from(allocator, own, 30 * kMiB);
  const Buffer rest = allocate_from(allocator, own, 35 * kMiB);
  Gate gate(other);
  REQUIRE(collet_buffer_use_on(waiting.get(), other.get()) == COLLET_OK);
  waiting.reset();
  CHECK(try_allocate(allocator, own, 30 * kMiB, 1'000'000) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("30.00 MiB waiting for streams"));
  std::thread opener([&] { gate.open(); });
  CHECK(try_allocate(allocator, own, 30 * kMiB) == COLLET_OK);
  opener.join();
  // The second one has waited unless the gate was open by then.
  CHECK(statistics_of(allocator).retries >= 1);
  CHECK(statistics_of(allocator).out_of_memory == 1);
}

TEST_CASE("HOST-MEM-9 memory goes back to the device when allocator and buffers have ended") {
  const Stream stream = make_stream(tested_device());
  std::uint64_t before = 0;
  std::uint64_t during = 0;
  std::uint64_t after = 0;
  std::uint64_t total = 0;
  // What the device's own allocator keeps must not move the figures.
  trim(allocator_of(tested_device()));
  REQUIRE(collet_device_memory_info(tested_device(), &before, &total) == COLLET_OK);
  Allocator allocator = make_allocator(tested_device());
  Buffer buffer = allocate_from(allocator, stream, 16 * kMiB);
  allocator.reset();
  write(stream, buffer, Bytes(64, 7));
  CHECK(read(stream, buffer, 64) == Bytes(64, 7));
  REQUIRE(collet_device_memory_info(tested_device(), &during, &total) == COLLET_OK);
  buffer.reset();
  REQUIRE(collet_device_memory_info(tested_device(), &after, &total) == COLLET_OK);
  // The memory of a CPU is everybody's.
  if (properties_of(tested_device()).kind != COLLET_DEVICE_KIND_CPU) {
    CHECK(during + 16 * kMiB == before);
    CHECK(after == before);
  }
}

TEST_CASE("HOST-MEM-9 the device's own allocator is one, and does not end") {
  const Stream stream = make_stream(tested_device());
  const Buffer buffer = allocate(stream, 3 * kMiB);
  Allocator own = allocator_of(tested_device());
  const std::uint64_t live = statistics_of(own).buffers.current;
  CHECK(live >= 1);
  own.reset();
  CHECK(statistics_of(allocator_of(tested_device())).buffers.current == live);
}

TEST_CASE("HOST-ARG-5 unknown flags, formats and half a pair of functions are refused") {
  auto desc = allocator_desc();
  collet_allocator_t* made = nullptr;
  desc.flags = 4;
  CHECK(COLLET_CALL(collet_allocator_create, tested_device(), &desc, &made) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  desc = allocator_desc();
  desc.host.free = [](void* /*user*/, void* /*data*/, std::uint64_t /*size*/) {};
  CHECK(COLLET_CALL(collet_allocator_create, tested_device(), &desc, &made) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(made == nullptr);
  const Allocator allocator = make_allocator(tested_device());
  std::uint64_t size = 1;
  CHECK(COLLET_CALL(collet_allocator_report, allocator.get(),
                    static_cast<collet_report_format_t>(2), nullptr, 0,
                    &size) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(size == 0);
}

namespace {

struct HostMemory {
  std::atomic<std::uint64_t> given_bytes{0};
  std::atomic<int> calls{0};
  bool has_none = false;
  std::uint64_t misplaced_by = 0;

  collet_host_allocator_t functions() {
    return {[](void* self, std::uint64_t size, std::uint64_t alignment, void** out) {
              return static_cast<HostMemory*>(self)->allocate(size, alignment, out);
            },
            [](void* self, void* data, std::uint64_t size) {
              auto* memory = static_cast<HostMemory*>(self);
              memory->given_bytes -= size;
              std::free(static_cast<char*>(data) - memory->misplaced_by);
            },
            this};
  }

  collet_status_t allocate(std::uint64_t size, std::uint64_t alignment, void** out) {
    ++calls;
    if (has_none) {
      return COLLET_ERROR_OUT_OF_HOST_MEMORY;
    }
    void* data = std::aligned_alloc(alignment, (size + 2 * alignment - 1) / alignment * alignment);
    *out = static_cast<char*>(data) + misplaced_by;
    given_bytes += size;
    return data == nullptr ? COLLET_ERROR_OUT_OF_HOST_MEMORY : COLLET_OK;
  }
};

}  // namespace

TEST_CASE("HOST-MEM-10 memory of the host's functions is used, shared out and given back",
          "[pooling]") {
  const Stream stream = make_stream(tested_device());
  HostMemory memory;
  auto desc = allocator_desc("host");
  desc.host = memory.functions();
  Allocator allocator = make_allocator(tested_device(), &desc);
  {
    const Buffer first = allocate_from(allocator, stream, 100, COLLET_MEMORY_PINNED);
    const Buffer second = allocate_from(allocator, stream, 100, COLLET_MEMORY_PINNED);
    CHECK(memory.calls == 1);
    CHECK(memory.given_bytes ==
          statistics_of(allocator, COLLET_MEMORY_PINNED).reserved_bytes.current);
    write(stream, first, Bytes(100, 1));
    write(stream, second, Bytes(100, 2));
    CHECK(read(stream, first, 100) == Bytes(100, 1));
  }
  CHECK(memory.given_bytes != 0);
  allocator.reset();
  CHECK(memory.given_bytes == 0);
}

TEST_CASE("HOST-MEM-10 the host's functions may have no memory, and not give what was not asked") {
  const Stream stream = make_stream(tested_device());
  HostMemory memory;
  auto desc = allocator_desc("host");
  desc.host = memory.functions();
  const Allocator allocator = make_allocator(tested_device(), &desc);
  auto wanted = alloc_desc(100, COLLET_MEMORY_PINNED);
  wanted.allocator = allocator.get();
  collet_buffer_t* made = nullptr;
  memory.has_none = true;
  CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &wanted, &made) ==
        COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  memory.has_none = false;
  memory.misplaced_by = 1;
  CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &wanted, &made) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("alignment"));
  CHECK(made == nullptr);
  CHECK(memory.given_bytes == 0);
  CHECK(statistics_of(allocator, COLLET_MEMORY_PINNED).reserved_bytes.current == 0);
}

TEST_CASE("HOST-MEM-10 host memory is no device memory where the host cannot reach that") {
  const Stream stream = make_stream(tested_device());
  HostMemory memory;
  auto desc = allocator_desc("host");
  desc.host = memory.functions();
  const Allocator allocator = make_allocator(tested_device(), &desc);
  const bool visible = (properties_of(tested_device()).flags & COLLET_DEVICE_HOST_VISIBLE) != 0;
  CHECK(try_allocate(allocator, stream, 100) == (visible ? COLLET_OK : COLLET_ERROR_UNSUPPORTED));
}

TEST_CASE("HOST-MEM-11 a buffer has the alignment that it was asked for, between others") {
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_allocator(tested_device());
  std::vector<Buffer> live;
  for (const std::uint64_t alignment : {64U, 4096U, 128U, 1024U, 4096U, 512U, 2048U, 64U}) {
    live.push_back(allocate_from(allocator, stream, 100, COLLET_MEMORY_PINNED));
    live.push_back(allocate_from(allocator, stream, 100, COLLET_MEMORY_PINNED, alignment));
    void* pointer = nullptr;
    REQUIRE(collet_buffer_host_pointer(live.back().get(), &pointer) == COLLET_OK);
    CHECK(reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0);
    auto info = out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO);
    REQUIRE(collet_buffer_info(live.back().get(), &info) == COLLET_OK);
    CHECK(info.alignment_bytes >= alignment);
  }
  check_order(statistics_of(allocator, COLLET_MEMORY_PINNED));
}

TEST_CASE("HOST-MEM-11 every buffer has the alignment that it tells") {
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_allocator(tested_device());
  std::vector<Buffer> live;
  for (std::uint64_t size = 1; size < 3 * kMiB; size = size * 3 + 1) {
    live.push_back(allocate_from(allocator, stream, size, COLLET_MEMORY_PINNED));
    auto info = out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO);
    REQUIRE(collet_buffer_info(live.back().get(), &info) == COLLET_OK);
    void* pointer = nullptr;
    REQUIRE(collet_buffer_host_pointer(live.back().get(), &pointer) == COLLET_OK);
    CHECK(reinterpret_cast<std::uintptr_t>(pointer) % info.alignment_bytes == 0);
  }
}

TEST_CASE("HOST-MEM-12 a large pinned buffer reserves an eighth more at most") {
  const Stream stream = make_stream(tested_device());
  for (const std::uint64_t size :
       {2 * kMiB, 2 * kMiB + 1, 3 * kMiB - 1, 8 * kMiB + 1, 33 * kMiB, 64 * kMiB + 1}) {
    const Allocator allocator = make_allocator(tested_device());
    const Buffer buffer = allocate_from(allocator, stream, size, COLLET_MEMORY_PINNED);
    const auto now = statistics_of(allocator, COLLET_MEMORY_PINNED);
    INFO(size);
    CHECK(now.reserved_bytes.current <= size + size / 8 + 512);
  }
}

TEST_CASE("HOST-MEM-5 on its own stream released memory is used again at once", "[pooling]") {
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Allocator allocator = make_allocator(tested_device());
  const Gate gate(stream);
  for (int i = 0; i < 100; ++i) {
    allocate_from(allocator, stream, 100 * static_cast<std::uint64_t>(i));
    allocate_from(allocator, stream, kMiB + 1);
  }
  CHECK(statistics_of(allocator).segments.total <= 2);
}

TEST_CASE("HOST-MEM-5 memory of a stream that has ended serves another one", "[pooling]") {
  const Allocator allocator = make_allocator(tested_device());
  Stream first = make_stream(tested_device());
  allocate_from(allocator, first, 8 * kMiB);
  const Buffer kept = allocate_from(allocator, first, 100);
  first.reset();
  const std::uint64_t reserved = statistics_of(allocator).reserved_bytes.current;
  const Stream second = make_stream(tested_device());
  const Buffer buffer = allocate_from(allocator, second, 8 * kMiB);
  const Buffer small = allocate_from(allocator, second, 100);
  CHECK(statistics_of(allocator).reserved_bytes.current == reserved);
}

TEST_CASE("HOST-MEM-3 a report names allocator, users and figures, for people and machines",
          "[pooling]") {
  const Stream stream = make_stream(tested_device());
  const auto desc = allocator_desc("re\"port");
  const Allocator allocator = make_allocator(tested_device(), &desc);
  CHECK(report(allocator, COLLET_REPORT_TEXT).find("nothing was allocated") != std::string::npos);
  auto wanted = alloc_desc(3 * kMiB);
  wanted.allocator = allocator.get();
  wanted.tag = "weights\n";
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_buffer_alloc(stream.get(), &wanted, &made) == COLLET_OK);
  const Buffer buffer(made);
  const std::string text = report(allocator, COLLET_REPORT_TEXT);
  INFO(text);
  const std::string id = properties_of(tested_device()).id;
  for (const std::string& part :
       std::vector<std::string>{id, "re\"port", "3.00 MiB  weights\\x0a", "requested", "reserved",
                                "limit none", "settings pool=on, limit=none"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  const std::string json = report(allocator, COLLET_REPORT_JSON);
  INFO(json);
  for (const char* part :
       {"\"allocator\": \"re\\\"port\"", "\"tag\": \"weights\\n\"", "\"bytes\": 3145728",
        "\"limit_bytes\": null",
        "\"settings\": \"pool=on, limit=none, max_split=none, divisions=none\""}) {
    CHECK(json.find(part) != std::string::npos);
  }
  char cut[8];
  std::uint64_t size = 0;
  REQUIRE(COLLET_CALL(collet_allocator_report, allocator.get(), COLLET_REPORT_TEXT, cut, sizeof cut,
                      &size) == COLLET_OK);
  CHECK(size == text.size() + 1);
  CHECK(std::string(cut) == text.substr(0, 7));
}

}  // namespace collet::test
