// SPDX-License-Identifier: Apache-2.0
// HOST-CPY: copies from and to host memory, blocking or not.
#include <algorithm>
#include <cstring>

#include "gate.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 64;

// A stream that works by itself, a buffer, and pinned memory.
class Copies {
 public:
  Copies() {
    const auto desc = alloc_desc(2 * kSize, COLLET_MEMORY_PINNED);
    collet_buffer_t* made = nullptr;
    if (collet_buffer_alloc(stream.get(), &desc, &made) != COLLET_OK) {
      skip("the device has no pinned memory");
    }
    pinned_buffer.reset(made);
    void* address = nullptr;
    REQUIRE(collet_buffer_host_pointer(made, &address) == COLLET_OK);
    pinned = static_cast<unsigned char*>(address);
    write(stream, buffer, Bytes(kSize, 1));
  }

  collet_status_t write_from(const void* host, std::uint32_t flags, std::uint64_t size = kSize,
                             std::uint64_t timeout_ns = 0) {
    const auto desc = transfer_desc(flags, timeout_ns);
    was_async = 7;
    return COLLET_CALL(collet_stream_write, stream.get(), buffer.get(), 0, host, size, &desc,
                       &was_async);
  }

  collet_status_t read_to(void* host, std::uint32_t flags, std::uint64_t timeout_ns = 0) {
    const auto desc = transfer_desc(flags, timeout_ns);
    was_async = 7;
    return COLLET_CALL(collet_stream_read, stream.get(), host, buffer.get(), 0, kSize, &desc,
                       &was_async);
  }

  Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  Buffer buffer = allocate(stream, kSize);
  Buffer pinned_buffer;
  unsigned char* pinned = nullptr;
  std::uint32_t was_async = 7;
};

constexpr std::uint32_t kNonBlocking = COLLET_TRANSFER_NON_BLOCKING;

}  // namespace

TEST_CASE("HOST-CPY-1 a copy of pageable memory is complete on return, asked to block or not") {
  Copies on;
  for (const std::uint32_t flags : {0U, kNonBlocking}) {
    Bytes host(kSize, static_cast<unsigned char>(flags + 2));
    CHECK(on.write_from(host.data(), flags) == COLLET_OK);
    CHECK(on.was_async == 0);
    const Bytes sent = host;
    host.assign(kSize, 0xff);
    Bytes back(kSize);
    CHECK(on.read_to(back.data(), flags) == COLLET_OK);
    CHECK(on.was_async == 0);
    CHECK(back == sent);
  }
}

TEST_CASE("HOST-CPY-1 a blocking copy of pinned memory is complete on return") {
  Copies on;
  std::memset(on.pinned, 5, kSize);
  CHECK(on.write_from(on.pinned, 0) == COLLET_OK);
  CHECK(on.was_async == 0);
  std::memset(on.pinned, 0, kSize);
  CHECK(on.read_to(on.pinned, 0) == COLLET_OK);
  CHECK(on.was_async == 0);
  CHECK(Bytes(on.pinned, on.pinned + kSize) == Bytes(kSize, 5));
}

TEST_CASE("HOST-CPY-2 a non-blocking copy of pinned memory happens in the order of its stream") {
  Copies on;
  // Inside the block, and up to its end.
  for (const std::size_t offset : {std::size_t{0}, std::size_t{8}, std::size_t{kSize}}) {
    INFO("offset " << offset);
    unsigned char* host = on.pinned + offset;
    std::memset(on.pinned, 0, 2 * kSize);
    write(on.stream, on.buffer, Bytes(kSize, 3));
    Gate gate(on.stream);
    CHECK(on.read_to(host, kNonBlocking) == COLLET_OK);
    CHECK(on.was_async == 1);
    CHECK(Bytes(host, host + kSize) == Bytes(kSize, 0));
    gate.open();
    synchronize(on.stream);
    CHECK(Bytes(host, host + kSize) == Bytes(kSize, 3));
  }
}

TEST_CASE("HOST-CPY-2 a non-blocking copy from pinned memory reads it in the order of its stream",
          "[hazard]") {
  Copies on;
  std::memset(on.pinned, 4, kSize);
  Gate gate(on.stream);
  CHECK(on.write_from(on.pinned, kNonBlocking) == COLLET_OK);
  CHECK(on.was_async == 1);
  std::memset(on.pinned, 8, kSize);
  gate.open();
  synchronize(on.stream);
  CHECK(read(on.stream, on.buffer, kSize) == Bytes(kSize, 8));
}

TEST_CASE("HOST-CPY-2 memory that the caller has registered is pinned until it is released") {
  Copies on;
  alignas(64) static unsigned char memory[kSize];
  collet_buffer_t* made = nullptr;
  if (collet_host_register(tested_device(), memory, kSize, &made) != COLLET_OK) {
    skip("the device does not reach memory of the caller");
  }
  Buffer registered(made);
  CHECK(on.write_from(memory, kNonBlocking) == COLLET_OK);
  CHECK(on.was_async == 1);
  synchronize(on.stream);
  registered.reset();
  CHECK(on.write_from(memory, kNonBlocking) == COLLET_OK);
  CHECK(on.was_async == 0);
}

TEST_CASE("HOST-CPY-2 of two registrations at one address each counts as long as it lives") {
  Copies on;
  alignas(64) static unsigned char memory[kSize];
  const auto registered = [](std::uint64_t size) {
    collet_buffer_t* made = nullptr;
    if (collet_host_register(tested_device(), memory, size, &made) != COLLET_OK) {
      skip("the device does not register this memory twice");
    }
    return Buffer(made);
  };
  Buffer part = registered(kSize / 2);
  Buffer whole = registered(kSize);
  Buffer part_again = registered(kSize / 2);
  whole.reset();
  CHECK(on.write_from(memory, kNonBlocking) == COLLET_OK);
  CHECK(on.was_async == 0);
  CHECK(on.write_from(memory, kNonBlocking, kSize / 2) == COLLET_OK);
  CHECK(on.was_async == 1);
  synchronize(on.stream);
  part.reset();
  CHECK(on.write_from(memory, kNonBlocking, kSize / 2) == COLLET_OK);
  CHECK(on.was_async == 1);
  synchronize(on.stream);
}

TEST_CASE("HOST-ERR-3 a blocking copy that times out has copied nothing, and never will") {
  Copies on;
  Bytes host(kSize, 0xee);
  {
    Gate gate(on.stream);
    CHECK(on.read_to(host.data(), 0, 1) == COLLET_ERROR_TIMEOUT);
    CHECK(on.was_async == 0);
    CHECK(on.read_to(host.data(), kNonBlocking, 1000) == COLLET_ERROR_TIMEOUT);
    CHECK(on.write_from(host.data(), 0, kSize, 1000) == COLLET_ERROR_TIMEOUT);
  }
  synchronize(on.stream);
  CHECK(host == Bytes(kSize, 0xee));
  CHECK(read(on.stream, on.buffer, kSize) == Bytes(kSize, 1));
}

TEST_CASE("HOST-CPY-3 a non-blocking copy from pageable memory does not wait for the stream") {
  Copies on;
  Bytes host(kSize, 3);
  {
    Gate gate(on.stream);
    CHECK(on.write_from(host.data(), kNonBlocking) == COLLET_OK);
    CHECK(on.was_async == 0);
    // The source is the caller's again.
    host.assign(kSize, 4);
    CHECK(collet_stream_query(on.stream.get()) == COLLET_NOT_READY);
  }
  CHECK(read(on.stream, on.buffer, kSize) == Bytes(kSize, 3));
}

// What follows compares megabytes, which Catch would print: hence the double brackets.
TEST_CASE("HOST-CPY-3 copies that are staged happen in the order of their stream") {
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  // Of several pieces, and one that is not whole.
  const std::uint64_t size = (std::uint64_t{5} << 20) + 4097;
  const Buffer buffer = allocate(stream, size + 1);
  Bytes expected(size + 1);
  write(stream, buffer, expected);
  const auto desc = transfer_desc(kNonBlocking);
  {
    Gate gate(stream);
    Bytes host(size);
    for (unsigned char run = 1; run < 4; ++run) {
      for (std::uint64_t i = 0; i < size; ++i) {
        host[i] = static_cast<unsigned char>(run * i + i / 251);
      }
      CHECK(COLLET_CALL(collet_stream_write, stream.get(), buffer.get(), 1, host.data(), size,
                        &desc, nullptr) == COLLET_OK);
      std::copy(host.begin(), host.end(), expected.begin() + 1);
    }
    host.assign(size, 0xee);
  }
  CHECK((read(stream, buffer, size + 1) == expected));
}

TEST_CASE("HOST-CPY-3 what cannot be staged waits up to its time-out, and records nothing then") {
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const std::uint64_t most = std::uint64_t{16} << 20;
  const Buffer buffer = allocate(stream, most + 1);
  const Bytes host(most + 1, 1);
  const auto fill = [&](std::uint64_t size) {
    const auto desc = transfer_desc(kNonBlocking, 1'000'000);
    return COLLET_CALL(collet_stream_write, stream.get(), buffer.get(), 0, host.data(), size, &desc,
                       nullptr);
  };
  write(stream, buffer, Bytes(most + 1, 7));
  {
    Gate gate(stream);
    CHECK(fill(most + 1) == COLLET_ERROR_TIMEOUT);
  }
  CHECK((read(stream, buffer, most + 1) == Bytes(most + 1, 7)));
  Gate gate(stream);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(fill(most) == COLLET_OK);
  }
  CHECK(fill(most) == COLLET_ERROR_TIMEOUT);
  CHECK(message_has("64.00 MiB"));
  gate.open();
  synchronize(stream);
  CHECK(fill(most) == COLLET_OK);
  CHECK(fill(most + 1) == COLLET_OK);
  CHECK((read(stream, buffer, most + 1) == host));
}

TEST_CASE(
    "HOST-MEM-16 memory that the host writes to is not given out before its streams have passed") {
  for (const collet_memory_kind_t kind : {COLLET_MEMORY_PINNED, COLLET_MEMORY_SHARED}) {
    const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
    const auto desc = alloc_desc(kSize, kind);
    collet_buffer_t* made = nullptr;
    if (collet_buffer_alloc(stream.get(), &desc, &made) != COLLET_OK) {
      continue;
    }
    Buffer first(made);
    void* address = nullptr;
    REQUIRE(collet_buffer_host_pointer(first.get(), &address) == COLLET_OK);
    const Buffer target = allocate(stream, kSize);
    std::memset(address, 5, kSize);
    Gate gate(stream);
    const auto later = transfer_desc(kNonBlocking);
    REQUIRE(collet_stream_write(stream.get(), target.get(), 0, address, kSize, &later, nullptr) ==
            COLLET_OK);
    first.reset();
    REQUIRE(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_OK);
    const Buffer second(made);
    void* other = nullptr;
    REQUIRE(collet_buffer_host_pointer(second.get(), &other) == COLLET_OK);
    std::memset(other, 6, kSize);
    gate.open();
    CHECK(read(stream, target, kSize) == Bytes(kSize, 5));
  }
}

}  // namespace collet::test
