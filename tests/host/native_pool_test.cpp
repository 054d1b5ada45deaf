// SPDX-License-Identifier: Apache-2.0
// HOST-POOL: allocators of a device's own pool, over any device. Those that have none refuse them.
#include <cstdlib>

#include "gate.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kSize = 5000;

// Skips the case where the device has no pool.
Allocator native_allocator(std::uint64_t limit_bytes = 0) {
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.flags = COLLET_ALLOCATOR_NATIVE;
  desc.limit_bytes = limit_bytes;
  collet_allocator_t* made = nullptr;
  const auto status = collet_allocator_create(tested_device(), &desc, &made);
  if (status == COLLET_ERROR_UNSUPPORTED) {
    skip("the device has no pool of its own");
  }
  REQUIRE(status == COLLET_OK);
  return Allocator(made);
}

Buffer allocate_from(const Allocator& allocator, const Stream& stream, std::uint64_t size_bytes) {
  auto desc = alloc_desc(size_bytes);
  desc.allocator = allocator.get();
  collet_buffer_t* made = nullptr;
  const auto status = collet_buffer_alloc(stream.get(), &desc, &made);
  INFO(message());
  REQUIRE(status == COLLET_OK);
  return Buffer(made);
}

std::uint64_t free_bytes() {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  REQUIRE(collet_device_memory_info(tested_device(), &free_bytes, &total_bytes) == COLLET_OK);
  return free_bytes;
}

void fill(const Stream& stream, const Buffer& buffer, unsigned char value,
          std::uint64_t size_bytes) {
  REQUIRE(collet_stream_fill(stream.get(), buffer.get(), 0, size_bytes, &value, 1) == COLLET_OK);
}

}  // namespace

TEST_CASE("HOST-POOL-3 a device without a pool refuses a native allocator, by name and reason",
          "[pooling]") {
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.flags = COLLET_ALLOCATOR_NATIVE;
  collet_allocator_t* made = nullptr;
  const auto status = COLLET_CALL(collet_allocator_create, tested_device(), &desc, &made);
  const Allocator owner(made);
  if (status == COLLET_OK) {
    skip("the device has a pool of its own");
  }
  CHECK(status == COLLET_ERROR_UNSUPPORTED);
  CHECK(made == nullptr);
  const std::string start =
      std::string(properties_of(tested_device()).id) + " has no pool of its own: ";
  CHECK(message_has(start));
  CHECK(message().size() > message().find(start) + start.size() + 10);
}

TEST_CASE("HOST-POOL-3 native memory is neither the host's nor unpooled", "[pooling]") {
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  collet_allocator_t* made = nullptr;
  desc.flags = COLLET_ALLOCATOR_NATIVE | COLLET_ALLOCATOR_UNPOOLED;
  CHECK(COLLET_CALL(collet_allocator_create, tested_device(), &desc, &made) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("COLLET_ALLOCATOR_UNPOOLED"));
  desc.flags = COLLET_ALLOCATOR_NATIVE;
  desc.host.allocate = [](void* /*user*/, std::uint64_t /*size*/, std::uint64_t /*alignment*/,
                          void** /*out*/) -> collet_status_t { std::abort(); };
  desc.host.free = [](void* /*user*/, void* /*data*/, std::uint64_t /*size*/) {};
  CHECK(COLLET_CALL(collet_allocator_create, tested_device(), &desc, &made) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("desc.host"));
  CHECK(made == nullptr);
}

TEST_CASE("HOST-POOL-1 what a stream releases behind a gate, it has again at once", "[pooling]") {
  const Allocator allocator = native_allocator();
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Buffer out = allocate(stream, 64);
  const std::uint64_t size = free_bytes() / 4;
  Buffer first = allocate_from(allocator, stream, size);
  {
    const Gate gate(stream);
    fill(stream, first, 7, 64);
    REQUIRE(collet_stream_copy(stream.get(), out.get(), 0, first.get(), 0, 64) == COLLET_OK);
    first.reset();
    CHECK(statistics_of(allocator).reserved_bytes.current == 0);
    for (int i = 0; i < 20; ++i) {
      fill(stream, allocate_from(allocator, stream, size), 9, 64);
    }
  }
  CHECK(read(stream, out, 64) == Bytes(64, 7));
}

TEST_CASE("HOST-POOL-1 another stream gets nothing that commands before a release still use",
          "[pooling]") {
  const Allocator allocator = native_allocator();
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Stream other = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Buffer out = allocate(stream, kSize);
  Buffer freed = allocate_from(allocator, stream, kSize);
  write(stream, freed, Bytes(kSize, 7));
  {
    const Gate gate(stream);
    REQUIRE(collet_stream_copy(stream.get(), out.get(), 0, freed.get(), 0, kSize) == COLLET_OK);
    freed.reset();
    std::vector<Buffer> live;
    for (int i = 0; i < 4; ++i) {
      live.push_back(allocate_from(allocator, other, kSize));
      write(other, live.back(), Bytes(kSize, 9));
      live.push_back(allocate(other, kSize));
      write(other, live.back(), Bytes(kSize, 9));
    }
  }
  CHECK(read(stream, out, kSize) == Bytes(kSize, 7));
}

TEST_CASE("HOST-POOL-2 a buffer outlives its stream and its allocator, and another stream uses it",
          "[pooling]") {
  Allocator allocator = native_allocator();
  Stream own = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Stream other = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Buffer out = allocate(other, kSize);
  const std::uint64_t before = free_bytes();
  Buffer buffer = allocate_from(allocator, own, kSize);
  write(own, buffer, Bytes(kSize, 7));
  REQUIRE(collet_buffer_use_on(buffer.get(), other.get()) == COLLET_OK);
  own.reset();
  allocator.reset();
  {
    const Gate gate(other);
    REQUIRE(collet_stream_copy(other.get(), out.get(), 0, buffer.get(), 0, kSize) == COLLET_OK);
    buffer.reset();
    const Stream third = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
    const Allocator second = native_allocator();
    for (int i = 0; i < 4; ++i) {
      write(third, allocate_from(second, third, kSize), Bytes(kSize, 9));
    }
  }
  CHECK(read(other, out, kSize) == Bytes(kSize, 7));
  synchronize(other);
  // Whatever happens next looks after what has become free.
  const Stream last = make_stream(tested_device());
  CHECK(free_bytes() == before);
}

TEST_CASE("HOST-POOL-4 memory that the device's pool keeps serves other allocators", "[pooling]") {
  const Allocator allocator = native_allocator();
  const Stream stream = make_stream(tested_device());
  const Stream other = make_stream(tested_device());
  const std::uint64_t size = free_bytes() / 4 * 3;
  allocate_from(allocator, stream, size);
  synchronize(stream);
  allocate(other, size);
  allocate_from(allocator, stream, size);
}

TEST_CASE("HOST-POOL-4 the device has its memory back after a trim, and after the allocator's end",
          "[pooling]") {
  Allocator allocator = native_allocator();
  const Stream stream = make_stream(tested_device());
  const std::uint64_t before = free_bytes();
  allocate_from(allocator, stream, 3 * kMiB);
  synchronize(stream);
  std::uint64_t released = 0;
  REQUIRE(collet_allocator_trim(allocator.get(), 0, &released) == COLLET_OK);
  CHECK(released >= 3 * kMiB);
  CHECK(free_bytes() == before);
  allocate_from(allocator, stream, 3 * kMiB);
  synchronize(stream);
  allocator.reset();
  CHECK(free_bytes() == before);
}

TEST_CASE("HOST-MEM-7 the limit of a native allocator is exact", "[pooling]") {
  const Allocator allocator = native_allocator(4 * kMiB);
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  Buffer first = allocate_from(allocator, stream, 3 * kMiB);
  auto desc = alloc_desc(kMiB + 1);
  desc.allocator = allocator.get();
  collet_buffer_t* made = nullptr;
  CHECK(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("the limit of 4.00 MiB"));
  const Buffer second = allocate_from(allocator, stream, kMiB);
  const Gate gate(stream);
  first.reset();
  allocate_from(allocator, stream, 3 * kMiB);
  CHECK(statistics_of(allocator).reserved_bytes.peak == 4 * kMiB);
  CHECK(statistics_of(allocator).segments.total == 3);
}

}  // namespace collet::test
