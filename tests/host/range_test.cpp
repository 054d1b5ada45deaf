// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-3 and HOST-ARG-4: ranges that leave their buffer, or share bytes.
#include <functional>
#include <utility>

#include "objects.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 64;
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

using Range = std::pair<std::uint64_t, std::uint64_t>;  // offset, size

constexpr Range kOutside[] = {
    {0, kSize + 1},        {1, kSize},      {kSize, 1},
    {kSize + 1, 0},        {UINT64_MAX, 0}, {UINT64_MAX, 1},
    {1, UINT64_MAX},       {0, UINT64_MAX}, {UINT64_MAX, UINT64_MAX},
    {kHalf, kHalf},        {kHalf, 0},      {0, kHalf},
    {32, UINT64_MAX - 31}, {kHalf - 1, 1},  {UINT64_MAX - 63, kSize},
};

Bytes pattern() {
  Bytes bytes(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7 + 1);
  }
  return bytes;
}

class Ranges {
 public:
  Ranges() {
    write(stream, buffer, pattern());
    write(stream, other, pattern());
  }

  // Nothing was recorded and no byte has changed.
  void check_unchanged() const {
    CHECK(read(stream, buffer, kSize) == pattern());
    CHECK(read(stream, other, kSize) == pattern());
  }

  collet_status_t copy(const Range& dst, std::uint64_t src_offset) const {
    return COLLET_CALL(collet_stream_copy, stream.get(), buffer.get(), dst.first, other.get(),
                       src_offset, dst.second);
  }

  collet_status_t copy_within(std::uint64_t dst, std::uint64_t src, std::uint64_t size) const {
    return COLLET_CALL(collet_stream_copy, stream.get(), buffer.get(), dst, buffer.get(), src,
                       size);
  }

  collet_status_t copy_rect(const collet_rect_t& rect) const {
    return COLLET_CALL(collet_stream_copy_rect, stream.get(), buffer.get(), other.get(), &rect);
  }

  Stream stream = make_stream(tested_device());
  Buffer buffer = allocate(stream, kSize);
  Buffer other = allocate(stream, kSize);
};

}  // namespace

TEST_CASE("HOST-ARG-3 a copy that leaves its destination or its source is refused") {
  const Ranges on;
  for (const auto& [offset, size] : kOutside) {
    INFO("offset " << offset << ", size " << size);
    CHECK(on.copy({offset, size}, 0) == COLLET_ERROR_OUT_OF_RANGE);
    CHECK(COLLET_CALL(collet_stream_copy, on.stream.get(), on.buffer.get(), 0, on.other.get(),
                      offset, size) == COLLET_ERROR_OUT_OF_RANGE);
  }
  CHECK(on.copy({0, 1}, kSize) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(message_has("source"));
  CHECK(on.copy({kSize, 1}, 0) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(message_has("destination"));
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-3 a transfer that leaves its buffer is refused, and host memory is as before") {
  const Ranges on;
  for (const auto& [offset, size] : kOutside) {
    INFO("offset " << offset << ", size " << size);
    Bytes host(4 * kSize, 0xee);
    std::uint32_t was_async = 7;
    CHECK(COLLET_CALL(collet_stream_write, on.stream.get(), on.buffer.get(), offset, host.data(),
                      size, nullptr, &was_async) == COLLET_ERROR_OUT_OF_RANGE);
    CHECK(was_async == 0);
    was_async = 7;
    CHECK(COLLET_CALL(collet_stream_read, on.stream.get(), host.data(), on.buffer.get(), offset,
                      size, nullptr, &was_async) == COLLET_ERROR_OUT_OF_RANGE);
    CHECK(was_async == 0);
    CHECK(host == Bytes(4 * kSize, 0xee));
  }
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-3 a fill that leaves its buffer is refused") {
  const Ranges on;
  const unsigned char zero = 0;
  for (const auto& [offset, size] : kOutside) {
    INFO("offset " << offset << ", size " << size);
    CHECK(COLLET_CALL(collet_stream_fill, on.stream.get(), on.buffer.get(), offset, size, &zero,
                      1) == COLLET_ERROR_OUT_OF_RANGE);
  }
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-3 a rectangle that leaves a buffer is refused") {
  const Ranges on;
  const collet_rect_t outside[] = {
      {0, 0, 8, 9, 8, 8},          {1, 0, 8, 8, 8, 8},
      {0, 1, 8, 8, 8, 8},          {0, 0, kSize + 1, 1, 0, 0},
      {0, 0, 1, 2, kSize, 1},      {0, 0, 1, 2, 1, kSize},
      {0, 0, 1, UINT64_MAX, 1, 1}, {0, 0, 1, UINT64_MAX, UINT64_MAX, UINT64_MAX},
      {0, 0, 1, 3, kHalf, kHalf},  {0, 0, UINT64_MAX, 2, UINT64_MAX, UINT64_MAX},
      {UINT64_MAX, 0, 1, 1, 1, 1}, {0, UINT64_MAX - 1, 2, 1, 2, 2},
      {kSize + 1, 0, 0, 0, 0, 0},
  };
  for (const collet_rect_t& rect : outside) {
    INFO(rect.dst_offset_bytes << ' ' << rect.src_offset_bytes << ' ' << rect.width_bytes << " x "
                               << rect.height);
    CHECK(on.copy_rect(rect) == COLLET_ERROR_OUT_OF_RANGE);
  }
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-8 a rectangle whose rows overlap themselves is refused") {
  const Ranges on;
  CHECK(on.copy_rect({0, 0, 4, 2, 3, 4}) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(on.copy_rect({0, 0, 4, 2, 4, 3}) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("pitch"));
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-3 a range that ends where its buffer ends is inside") {
  const Ranges on;
  Bytes host(kSize);
  const unsigned char zero = 0;
  CHECK(on.copy({kSize, 0}, kSize) == COLLET_OK);
  CHECK(on.copy({kSize - 1, 1}, kSize - 1) == COLLET_OK);
  CHECK(on.copy({0, kSize}, 0) == COLLET_OK);
  CHECK(on.copy_rect({0, 0, 8, 8, 8, 8}) == COLLET_OK);
  CHECK(on.copy_rect({kSize, kSize, 8, 0, 0, 0}) == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_fill, on.stream.get(), on.buffer.get(), kSize, 0, &zero, 1) ==
        COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_read, on.stream.get(), host.data(), on.buffer.get(), kSize, 0,
                    nullptr, nullptr) == COLLET_OK);
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-3 an operand that leaves its buffer is refused, and the text names it") {
  Objects objects(tested_device());
  if (objects.plan == nullptr) {
    skip("the device has no operations");
  }
  const Buffer small = allocate(objects.stream, 16);
  for (const std::uint64_t offset :
       {std::uint64_t{4}, std::uint64_t{16}, std::uint64_t{20}, UINT64_MAX - 3, kHalf}) {
    const collet_operand_t operands[2]{{small.get(), offset, {}}, {nullptr, 0, {1.5}}};
    INFO("offset " << offset);
    CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                      nullptr, 0) == COLLET_ERROR_OUT_OF_RANGE);
    CHECK(message_has("operand 0"));
  }
  const collet_operand_t whole[2]{{small.get(), 0, {}}, {nullptr, 0, {1.5}}};
  CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), whole, 2, nullptr,
                    0) == COLLET_OK);
}

TEST_CASE("HOST-ARG-4 a copy whose ranges share a byte is refused") {
  const Ranges on;
  CHECK(on.copy_within(0, 0, 1) == COLLET_ERROR_OVERLAP);
  CHECK(on.copy_within(0, 31, 32) == COLLET_ERROR_OVERLAP);
  CHECK(on.copy_within(31, 0, 32) == COLLET_ERROR_OVERLAP);
  CHECK(on.copy_within(0, 0, kSize) == COLLET_ERROR_OVERLAP);
  const collet_rect_t rows{0, 31, 4, 8, 4, 4};
  CHECK(COLLET_CALL(collet_stream_copy_rect, on.stream.get(), on.buffer.get(), on.buffer.get(),
                    &rows) == COLLET_ERROR_OVERLAP);
  on.check_unchanged();
}

TEST_CASE("HOST-ARG-4 ranges of one buffer that touch, or are empty, do not share a byte") {
  const Ranges on;
  CHECK(on.copy_within(0, 0, 0) == COLLET_OK);
  CHECK(on.copy_within(8, 8, 0) == COLLET_OK);
  on.check_unchanged();
  CHECK(on.copy_within(0, 32, 32) == COLLET_OK);
  const Bytes whole = pattern();
  const Bytes upper(whole.begin() + 32, whole.end());
  Bytes expected = upper;
  expected.insert(expected.end(), upper.begin(), upper.end());
  CHECK(read(on.stream, on.buffer, kSize) == expected);
  CHECK(on.copy_within(32, 0, 32) == COLLET_OK);
}

}  // namespace collet::test
