// SPDX-License-Identifier: Apache-2.0
// HOST-CPY-5: copies between two devices, whichever they are.
#include <algorithm>

#include "gate.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 64;

struct Place {
  const Stream& stream;
  const Buffer& buffer;
  std::uint64_t offset_bytes = 0;
};

collet_status_t copy(const Place& to, const Place& from, std::uint64_t size_bytes,
                     std::uint64_t timeout_ns = 0, std::uint32_t flags = 0) {
  const auto desc = transfer_desc(flags, timeout_ns);
  return COLLET_CALL(collet_stream_copy_across, to.stream.get(), to.buffer.get(), to.offset_bytes,
                     from.stream.get(), from.buffer.get(), from.offset_bytes, size_bytes, &desc);
}

// The devices of this machine that copies may go to and come from, the tested one first.
std::vector<collet_device_t*> devices() {
  std::vector<collet_device_t*> result = {tested_device()};
  for (const char* id : {"cpu:0", "sim:0", "sim:1"}) {
    collet_device_t* device = nullptr;
    if (collet_device_open(id, &device) == COLLET_OK && device != tested_device()) {
      result.push_back(device);
    }
  }
  return result;
}

Bytes pattern(std::uint64_t size_bytes) {
  Bytes bytes(size_bytes);
  for (std::uint64_t i = 0; i < size_bytes; ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7 + i / 253);
  }
  return bytes;
}

}  // namespace

TEST_CASE("HOST-CPY-5 a copy between two devices moves exactly its range") {
  // Two pieces, and one that is not whole.
  const std::uint64_t size = (std::uint64_t{2} << 20) + 4097;
  const Stream here = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Buffer ours = allocate(here, size + 8);
  const Bytes bytes = pattern(size + 8);
  for (collet_device_t* device : devices()) {
    const Stream there = make_stream(device, COLLET_STREAM_BACKGROUND);
    const Buffer theirs = allocate(there, size + 16);
    write(here, ours, bytes);
    write(there, theirs, Bytes(size + 16, 0xee));
    REQUIRE(copy({there, theirs, 8}, {here, ours, 3}, size) == COLLET_OK);
    // What is enqueued later comes after it.
    write(here, ours, Bytes(size + 8, 0xdd));
    Bytes expected(size + 16, 0xee);
    std::copy_n(bytes.begin() + 3, size, expected.begin() + 8);
    CHECK((read(there, theirs, size + 16) == expected));
    REQUIRE(copy({here, ours, 1}, {there, theirs, 8}, size) == COLLET_OK);
    Bytes back(size + 8, 0xdd);
    std::copy_n(bytes.begin() + 3, size, back.begin() + 1);
    CHECK((read(here, ours, size + 8) == back));
    CHECK(copy({there, theirs, size + 16}, {here, ours, size + 8}, 0) == COLLET_OK);
  }
}

TEST_CASE("HOST-CPY-5 a copy between two devices waits for both streams, up to its time-out") {
  for (collet_device_t* device : devices()) {
    const Stream from = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
    const Stream to = make_stream(device, COLLET_STREAM_BACKGROUND);
    const Buffer source = allocate(from, kSize);
    const Buffer target = allocate(to, kSize);
    write(from, source, Bytes(kSize, 1));
    write(to, target, Bytes(kSize, 2));
    for (const Stream* held : {&from, &to}) {
      Gate gate(*held);
      CHECK(copy({to, target}, {from, source}, kSize, 1'000'000) == COLLET_ERROR_TIMEOUT);
    }
    CHECK(read(to, target, kSize) == Bytes(kSize, 2));
    const unsigned char three = 3;
    {
      Gate gate(from);
      REQUIRE(collet_stream_fill(from.get(), source.get(), 0, kSize, &three, 1) == COLLET_OK);
    }
    CHECK(copy({to, target}, {from, source}, kSize) == COLLET_OK);
    CHECK(read(to, target, kSize) == Bytes(kSize, 3));
  }
}

TEST_CASE("HOST-CPY-5 a copy between two devices is refused where a range or a stream is wrong") {
  const Stream stream = make_stream(tested_device());
  const Buffer source = allocate(stream, kSize);
  const Buffer target = allocate(stream, kSize);
  write(stream, target, Bytes(kSize, 4));
  for (const std::uint64_t offset : {std::uint64_t{1}, kSize + 1, UINT64_MAX}) {
    CHECK(copy({stream, target, offset}, {stream, source}, kSize) == COLLET_ERROR_OUT_OF_RANGE);
    CHECK(message_has("destination"));
    CHECK(copy({stream, target}, {stream, source, offset}, kSize) == COLLET_ERROR_OUT_OF_RANGE);
    CHECK(message_has("source"));
  }
  CHECK(copy({stream, target}, {stream, target, 1}, kSize - 1) == COLLET_ERROR_OVERLAP);
  CHECK(copy({stream, target}, {stream, source}, kSize, 0, COLLET_TRANSFER_NON_BLOCKING) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  for (collet_device_t* device : devices()) {
    if (device != tested_device()) {
      const Stream other = make_stream(device);
      const std::string own_id = properties_of(tested_device()).id;
      const std::string other_id = properties_of(device).id;
      const bool is_one_backend = own_id.substr(0, 3) == other_id.substr(0, 3);
      const auto wrong = is_one_backend ? COLLET_ERROR_WRONG_DEVICE : COLLET_ERROR_WRONG_BACKEND;
      CHECK(copy({other, target}, {stream, source}, kSize) == wrong);
      CHECK(message_has(own_id));
      CHECK(message_has(other_id));
      CHECK(copy({stream, target}, {other, source}, kSize) == wrong);
    }
  }
  CHECK(read(stream, target, kSize) == Bytes(kSize, 4));
}

}  // namespace collet::test
