// SPDX-License-Identifier: Apache-2.0
// HOST-CPY-8: rectangles from and to host memory.
#include <algorithm>
#include <cstring>
#include <string>

#include "gate.hpp"

namespace collet::test {
namespace {

constexpr std::uint32_t kNonBlocking = COLLET_TRANSFER_NON_BLOCKING;

// A rectangle in a buffer and one in host memory, which begins and ends with it, some bytes inside.
struct Shape {
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t device_pitch;
  std::uint64_t host_pitch;

  [[nodiscard]] std::uint64_t device_bytes() const {
    return 7 + (height - 1) * device_pitch + width;
  }
  [[nodiscard]] std::uint64_t host_bytes() const { return 3 + (height - 1) * host_pitch + width; }
  [[nodiscard]] collet_rect_t to_device() const {
    return {7, 3, width, height, device_pitch, host_pitch};
  }
  [[nodiscard]] collet_rect_t to_host() const {
    return {3, 7, width, height, host_pitch, device_pitch};
  }
};

// One row, dense rows, many short ones, and long ones that are not staged together.
const Shape kShapes[] = {
    {5, 1, 5, 5},
    {16, 8, 16, 16},
    {3, 5, 8, 11},
    {100, 3, 100, 128},
    {24, 100'000, 40, 24},
    {(std::uint64_t{2} << 20) + 3, 2, (std::uint64_t{2} << 20) + 64, (std::uint64_t{2} << 20) + 9}};

Bytes numbered(std::uint64_t size) {
  Bytes bytes(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7 + i / 253);
  }
  return bytes;
}

void copy_rows(unsigned char* to, const unsigned char* from, const collet_rect_t& rect) {
  for (std::uint64_t row = 0; row < rect.height; ++row) {
    std::copy_n(from + rect.src_offset_bytes + row * rect.src_pitch_bytes, rect.width_bytes,
                to + rect.dst_offset_bytes + row * rect.dst_pitch_bytes);
  }
}

// A stream that works by itself, a buffer, and host memory, pinned or not.
class Rectangles {
 public:
  Rectangles(const Shape& shape, bool is_pinned) : shape_(shape) {
    pageable_.resize(shape.host_bytes());
    host = pageable_.data();
    write(stream, buffer, Bytes(shape.device_bytes(), 0xdd));
    if (is_pinned) {
      const auto desc = alloc_desc(shape.host_bytes(), COLLET_MEMORY_PINNED);
      collet_buffer_t* made = nullptr;
      if (collet_buffer_alloc(stream.get(), &desc, &made) != COLLET_OK) {
        skip("the device has no pinned memory");
      }
      pinned_.reset(made);
      void* address = nullptr;
      REQUIRE(collet_buffer_host_pointer(made, &address) == COLLET_OK);
      host = static_cast<unsigned char*>(address);
    }
  }

  void set_host(const Bytes& bytes) const { std::copy(bytes.begin(), bytes.end(), host); }
  [[nodiscard]] Bytes host_bytes() const { return {host, host + shape_.host_bytes()}; }
  [[nodiscard]] Bytes device_bytes() const { return read(stream, buffer, shape_.device_bytes()); }

  collet_status_t write_rect(std::uint32_t flags, std::uint64_t timeout_ns = 0) {
    const auto desc = transfer_desc(flags, timeout_ns);
    const collet_rect_t rect = shape_.to_device();
    was_async = 7;
    return COLLET_CALL(collet_stream_write_rect, stream.get(), buffer.get(), host, &rect, &desc,
                       &was_async);
  }
  collet_status_t read_rect(std::uint32_t flags, std::uint64_t timeout_ns = 0) {
    const auto desc = transfer_desc(flags, timeout_ns);
    const collet_rect_t rect = shape_.to_host();
    was_async = 7;
    return COLLET_CALL(collet_stream_read_rect, stream.get(), host, buffer.get(), &rect, &desc,
                       &was_async);
  }

 private:
  Shape shape_;
  Bytes pageable_;
  Buffer pinned_;

 public:
  Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  Buffer buffer = allocate(stream, shape_.device_bytes());
  unsigned char* host = nullptr;
  std::uint32_t was_async = 7;
};

const Shape kSmall{8, 4, 24, 16};

}  // namespace

TEST_CASE("HOST-CPY-8 rectangles from and to host memory move exactly their rows, in each mode") {
  for (const Shape& shape : kShapes) {
    for (const bool is_pinned : {false, true}) {
      for (const std::uint32_t flags : {0U, kNonBlocking}) {
        INFO(shape.height << " rows of " << shape.width << (is_pinned ? ", pinned" : "")
                          << ", flags " << flags);
        Rectangles on(shape, is_pinned);
        const Bytes sent = numbered(shape.host_bytes());
        on.set_host(sent);
        REQUIRE(on.write_rect(flags) == COLLET_OK);
        const bool may_be_late = is_pinned && flags != 0;
        CHECK(on.was_async == (may_be_late ? 1U : 0U));
        if (may_be_late) {
          synchronize(on.stream);
        }
        on.set_host(Bytes(shape.host_bytes(), 0xee));
        Bytes on_device(shape.device_bytes(), 0xdd);
        copy_rows(on_device.data(), sent.data(), shape.to_device());
        CHECK((on.device_bytes() == on_device));
        REQUIRE(on.read_rect(flags) == COLLET_OK);
        CHECK(on.was_async == (may_be_late ? 1U : 0U));
        if (may_be_late) {
          synchronize(on.stream);
        }
        Bytes on_host(shape.host_bytes(), 0xee);
        copy_rows(on_host.data(), on_device.data(), shape.to_host());
        CHECK((on.host_bytes() == on_host));
      }
    }
  }
}

TEST_CASE("HOST-CPY-8 a non-blocking rectangle from pageable memory does not wait for the stream") {
  Rectangles on(kSmall, false);
  on.set_host(Bytes(kSmall.host_bytes(), 3));
  {
    Gate gate(on.stream);
    // One that waited would end with its time-out.
    CHECK(on.write_rect(kNonBlocking, 1'000'000'000) == COLLET_OK);
    CHECK(on.was_async == 0);
    // The source is the caller's again.
    on.set_host(Bytes(kSmall.host_bytes(), 4));
    CHECK(collet_stream_query(on.stream.get()) == COLLET_NOT_READY);
  }
  Bytes expected(kSmall.device_bytes(), 0xdd);
  copy_rows(expected.data(), Bytes(kSmall.host_bytes(), 3).data(), kSmall.to_device());
  CHECK(on.device_bytes() == expected);
}

TEST_CASE(
    "HOST-CPY-8 a non-blocking rectangle to pinned memory happens in the order of its stream") {
  Rectangles on(kSmall, true);
  on.set_host(Bytes(kSmall.host_bytes(), 0xee));
  Gate gate(on.stream);
  CHECK(on.read_rect(kNonBlocking) == COLLET_OK);
  CHECK(on.was_async == 1);
  CHECK(on.host_bytes() == Bytes(kSmall.host_bytes(), 0xee));
  gate.open();
  synchronize(on.stream);
  CHECK(on.host_bytes() != Bytes(kSmall.host_bytes(), 0xee));
}

TEST_CASE("HOST-CPY-8 a rectangle that times out has copied nothing, and never will") {
  for (const bool is_pinned : {false, true}) {
    Rectangles on(kSmall, is_pinned);
    on.set_host(Bytes(kSmall.host_bytes(), 0xee));
    {
      Gate gate(on.stream);
      CHECK(on.read_rect(0, 1) == COLLET_ERROR_TIMEOUT);
      CHECK(on.was_async == 0);
      CHECK(on.write_rect(0, 1000) == COLLET_ERROR_TIMEOUT);
    }
    synchronize(on.stream);
    CHECK(on.host_bytes() == Bytes(kSmall.host_bytes(), 0xee));
    CHECK(on.device_bytes() == Bytes(kSmall.device_bytes(), 0xdd));
  }
}

TEST_CASE("HOST-CPY-8 a rectangle that leaves its buffer, or has no memory, is refused") {
  Rectangles on(kSmall, false);
  const auto both = [&](const void* host, const collet_rect_t& rect) {
    collet_rect_t mirrored = rect;
    std::swap(mirrored.dst_offset_bytes, mirrored.src_offset_bytes);
    std::swap(mirrored.dst_pitch_bytes, mirrored.src_pitch_bytes);
    const auto status = COLLET_CALL(collet_stream_write_rect, on.stream.get(), on.buffer.get(),
                                    host, &rect, nullptr, nullptr);
    CHECK(COLLET_CALL(collet_stream_read_rect, on.stream.get(), const_cast<void*>(host),
                      on.buffer.get(), &mirrored, nullptr, nullptr) == status);
    return status;
  };
  collet_rect_t rect = kSmall.to_device();
  rect.dst_offset_bytes += 1;
  CHECK(both(on.host, rect) == COLLET_ERROR_OUT_OF_RANGE);
  rect = kSmall.to_device();
  rect.height = UINT64_MAX;
  CHECK(both(on.host, rect) == COLLET_ERROR_OUT_OF_RANGE);
  rect = kSmall.to_device();
  rect.src_pitch_bytes = UINT64_MAX / 2;
  CHECK(both(on.host, rect) == COLLET_ERROR_OUT_OF_RANGE);
  rect = kSmall.to_device();
  rect.src_pitch_bytes = rect.width_bytes - 1;
  CHECK(both(on.host, rect) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(both(nullptr, kSmall.to_device()) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("NULL"));
  rect = kSmall.to_device();
  rect.width_bytes = 0;
  CHECK(both(nullptr, rect) == COLLET_OK);
  CHECK(on.device_bytes() == Bytes(kSmall.device_bytes(), 0xdd));
}

}  // namespace collet::test
