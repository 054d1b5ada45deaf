// SPDX-License-Identifier: Apache-2.0
// Buffers of a device: what can be asked for, and what is told about them.
#include <cstring>
#include <thread>

#include "gate.hpp"
#include "objects.hpp"

namespace collet::test {
namespace {

constexpr collet_memory_kind_t kKinds[] = {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED,
                                           COLLET_MEMORY_SHARED};

collet_status_t try_allocate(const Stream& stream, const collet_alloc_desc_t& desc) {
  collet_buffer_t* made = nullptr;
  const auto status = COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &made);
  const Buffer buffer(made);
  CHECK((status == COLLET_OK) == (made != nullptr));
  return status;
}

bool supports(const Stream& stream, collet_memory_kind_t kind) {
  return try_allocate(stream, alloc_desc(64, kind)) == COLLET_OK;
}

collet_buffer_info_t info_of(const Buffer& buffer) {
  auto info = out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO);
  REQUIRE(collet_buffer_info(buffer.get(), &info) == COLLET_OK);
  return info;
}

}  // namespace

TEST_CASE("HOST-MEM-4 a buffer of zero bytes can be made, asked about, and used by every command") {
  const Stream stream = make_stream(tested_device());
  for (const collet_memory_kind_t kind : kKinds) {
    if (!supports(stream, kind)) {
      continue;
    }
    const Buffer buffer = allocate(stream, 0, kind);
    const Buffer other = allocate(stream, 0, kind);
    const unsigned char zero = 0;
    const collet_rect_t rect{};
    std::uint32_t was_async = 7;
    CHECK(info_of(buffer).size_bytes == 0);
    CHECK(collet_stream_copy(stream.get(), buffer.get(), 0, other.get(), 0, 0) == COLLET_OK);
    CHECK(collet_stream_copy(stream.get(), buffer.get(), 0, buffer.get(), 0, 0) == COLLET_OK);
    CHECK(collet_stream_copy_rect(stream.get(), buffer.get(), other.get(), &rect) == COLLET_OK);
    CHECK(collet_stream_fill(stream.get(), buffer.get(), 0, 0, &zero, 1) == COLLET_OK);
    CHECK(collet_stream_write(stream.get(), buffer.get(), 0, nullptr, 0, nullptr, &was_async) ==
          COLLET_OK);
    CHECK(was_async == 0);
    CHECK(collet_stream_read(stream.get(), nullptr, buffer.get(), 0, 0, nullptr, &was_async) ==
          COLLET_OK);
    CHECK(was_async == 0);
    if (kind != COLLET_MEMORY_DEVICE) {
      void* pointer = nullptr;
      CHECK(collet_buffer_host_pointer(buffer.get(), &pointer) == COLLET_OK);
      CHECK(pointer != nullptr);
    }
  }
  synchronize(stream);
}

TEST_CASE("HOST-MEM-4 zero bytes of the caller's memory can be registered") {
  collet_device_t* device = tested_device();
  unsigned char memory[64];
  collet_buffer_t* made = nullptr;
  const auto status = collet_host_register(device, memory, 0, &made);
  const Buffer buffer(made);
  CHECK((status == COLLET_OK || status == COLLET_ERROR_UNSUPPORTED));
}

TEST_CASE("buffer it tells its device, kind, size and alignment") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device);
  for (const collet_memory_kind_t kind : kKinds) {
    if (!supports(stream, kind)) {
      continue;
    }
    const collet_buffer_info_t info = info_of(allocate(stream, 100, kind));
    CHECK(info.device == device);
    CHECK(info.kind == kind);
    CHECK(info.size_bytes == 100);
    CHECK(info.alignment_bytes >= 64);
  }
}

TEST_CASE("HOST-ARG-8 an alignment that is no power of two is refused, a possible one is kept") {
  const Stream stream = make_stream(tested_device());
  auto desc = alloc_desc(100);
  for (const std::uint64_t alignment : {std::uint64_t{3}, std::uint64_t{96}, UINT64_MAX}) {
    desc.alignment_bytes = alignment;
    CHECK(try_allocate(stream, desc) == COLLET_ERROR_INVALID_ARGUMENT);
  }
  desc.alignment_bytes = std::uint64_t{1} << 62;
  CHECK(try_allocate(stream, desc) == COLLET_ERROR_UNSUPPORTED);
  CHECK(message_has(std::to_string(desc.alignment_bytes)));
  desc.alignment_bytes = 256;
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_OK);
  const Buffer buffer(made);
  CHECK(info_of(buffer).alignment_bytes >= 256);
  void* pointer = nullptr;
  if (collet_buffer_host_pointer(buffer.get(), &pointer) == COLLET_OK) {
    CHECK(reinterpret_cast<std::uintptr_t>(pointer) % 256 == 0);
  }
}

TEST_CASE("HOST-ARG-8 a size that cannot be rounded up is an overflow") {
  const Stream stream = make_stream(tested_device());
  CHECK(try_allocate(stream, alloc_desc(UINT64_MAX)) == COLLET_ERROR_OVERFLOW);
  CHECK(try_allocate(stream, alloc_desc(INT64_MAX)) == COLLET_ERROR_OVERFLOW);
}

TEST_CASE("HOST-MEM-3 out of memory names size, tag, device, what is free and what stopped it") {
  collet_device_t* device = tested_device();
  auto labelled = stream_desc();
  labelled.label = "compute";
  collet_stream_t* made = nullptr;
  REQUIRE(collet_stream_create(device, &labelled, &made) == COLLET_OK);
  const Stream stream(made);
  auto desc = alloc_desc(std::uint64_t{1} << 60);
  desc.tag = "attention/scores";
  CHECK(try_allocate(stream, desc) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("1152921504606846976 bytes"));
  CHECK(message_has("stream \"compute\", tag \"attention/scores\""));
  CHECK(message_has(properties_of(device).id));
  CHECK(message_has(" total, "));
  CHECK(message_has(" free"));
  CHECK(message_has("stopped by"));
  CHECK(try_allocate(stream, alloc_desc(64)) == COLLET_OK);
}

TEST_CASE("buffer the host pointer of pinned memory is what the device reads") {
  const Stream stream = make_stream(tested_device());
  if (!supports(stream, COLLET_MEMORY_PINNED)) {
    skip("the device has no pinned memory");
  }
  const Buffer pinned = allocate(stream, 64, COLLET_MEMORY_PINNED);
  void* pointer = nullptr;
  REQUIRE(collet_buffer_host_pointer(pinned.get(), &pointer) == COLLET_OK);
  std::memset(pointer, 5, 64);
  CHECK(read(stream, pinned, 64) == Bytes(64, 5));
  write(stream, pinned, Bytes(64, 6));
  CHECK(static_cast<unsigned char*>(pointer)[63] == 6);
}

TEST_CASE("buffer a host pointer exists just where the device says so") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  void* pointer = nullptr;
  const bool visible = (properties_of(device).flags & COLLET_DEVICE_HOST_VISIBLE) != 0;
  CHECK(COLLET_CALL(collet_buffer_host_pointer, buffer.get(), &pointer) ==
        (visible ? COLLET_OK : COLLET_ERROR_UNSUPPORTED));
  CHECK((pointer != nullptr) == visible);
}

TEST_CASE("HOST-ARG-8 memory that wraps around the address space cannot be registered") {
  collet_device_t* device = tested_device();
  unsigned char memory[64];
  for (const std::uint64_t size : {UINT64_MAX, UINT64_MAX - 63, std::uint64_t{1} << 63}) {
    collet_buffer_t* buffer = nullptr;
    CHECK(COLLET_CALL(collet_host_register, device, memory, size, &buffer) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(buffer == nullptr);
  }
}

TEST_CASE("HOST-MEM-1 a buffer can be used after the handle of its stream is released") {
  collet_device_t* device = tested_device();
  Stream own = make_stream(device);
  const Stream other = make_stream(device);
  Buffer buffer = allocate(own, 64);
  own.reset();
  write(other, buffer, Bytes(64, 9));
  CHECK(read(other, buffer, 64) == Bytes(64, 9));
  CHECK(collet_buffer_use_on(buffer.get(), other.get()) == COLLET_OK);
  buffer.reset();
  CHECK(collet_stream_query(other.get()) == COLLET_OK);
}

TEST_CASE("HOST-MEM-1 a buffer that is released while a stream is held back keeps its bytes") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream second = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Buffer result = allocate(stream, 64);
  const Buffer second_result = allocate(second, 64);
  Buffer buffer = allocate(stream, 64);
  write(stream, buffer, Bytes(64, 9));
  {
    Gate gate(stream);
    Gate second_gate(second);
    REQUIRE(collet_stream_copy(stream.get(), result.get(), 0, buffer.get(), 0, 64) == COLLET_OK);
    REQUIRE(collet_buffer_use_on(buffer.get(), second.get()) == COLLET_OK);
    REQUIRE(collet_stream_copy(second.get(), second_result.get(), 0, buffer.get(), 0, 64) ==
            COLLET_OK);
    buffer.reset();
    // Would get the same bytes, were they free.
    const Stream third = make_stream(device);
    for (int i = 0; i < 20; ++i) {
      write(third, allocate(third, 64), Bytes(64, 0xff));
    }
    gate.open();
    CHECK(read(stream, result, 64) == Bytes(64, 9));
    write(third, allocate(third, 64), Bytes(64, 0xff));
    second_gate.open();
    CHECK(read(second, second_result, 64) == Bytes(64, 9));
  }
}

TEST_CASE("HOST-MEM-1 declaring a use again changes nothing, and the buffer's own stream is one") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device);
  const Stream other = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  for (int i = 0; i < 3; ++i) {
    CHECK(COLLET_CALL(collet_buffer_use_on, buffer.get(), stream.get()) == COLLET_OK);
    CHECK(COLLET_CALL(collet_buffer_use_on, buffer.get(), other.get()) == COLLET_OK);
  }
}

TEST_CASE("device it tells how much memory is free") {
  collet_device_t* device = tested_device();
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  REQUIRE(COLLET_CALL(collet_device_memory_info, device, &free_bytes, &total_bytes) == COLLET_OK);
  CHECK(total_bytes == properties_of(device).memory_bytes);
  CHECK(free_bytes <= total_bytes);
}

TEST_CASE("HOST-MEM-9 memory goes back to its own device, whatever the thread's device is") {
  collet_device_t* device = tested_device();
  const std::string backend = std::string(properties_of(device).id);
  const std::string other_id = backend.substr(0, backend.find(':')) + ":1";
  collet_device_t* other = nullptr;
  if (collet_device_open(other_id.c_str(), &other) != COLLET_OK) {
    skip("the back end has one device");
  }
  const Stream stream = make_stream(device);
  const Stream other_stream = make_stream(other);
  const Allocator allocator = make_allocator(device);
  const Allocator other_allocator = make_allocator(other);
  const auto allocate_from = [](const Allocator& from, const Stream& on, std::uint64_t size_bytes) {
    auto desc = alloc_desc(size_bytes);
    desc.allocator = from.get();
    collet_buffer_t* made = nullptr;
    REQUIRE(collet_buffer_alloc(on.get(), &desc, &made) == COLLET_OK);
    return Buffer(made);
  };
  Buffer buffer = allocate_from(allocator, stream, 5000);
  const Buffer kept = allocate_from(other_allocator, other_stream, 3000);
  REQUIRE(COLLET_CALL(collet_current_device_set, other) == COLLET_OK);
  std::thread([moved = std::move(buffer)] {}).join();
  collet_device_t* current = nullptr;
  REQUIRE(COLLET_CALL(collet_current_device_get, &current) == COLLET_OK);
  CHECK(current == other);
  REQUIRE(COLLET_CALL(collet_current_device_set, device) == COLLET_OK);
  CHECK(statistics_of(allocator).allocated_bytes.current == 0);
  REQUIRE(collet_allocator_trim(allocator.get(), COLLET_TIMEOUT_INFINITE, nullptr) == COLLET_OK);
  CHECK(statistics_of(allocator).reserved_bytes.current == 0);
  CHECK(statistics_of(other_allocator).requested_bytes.current == 3000);
}

}  // namespace collet::test
