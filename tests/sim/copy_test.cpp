// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes numbered(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return bytes;
}

TEST_CASE("PLUG-STR-10 a copy moves exactly its range") {
  const Stream stream;
  for (const std::size_t size : {0U, 1U, 63U, 64U, 300U, 70'001U}) {
    const Bytes source = numbered(size + 20);
    const Memory from(source);
    const Memory to(size + 20, 0x11);
    REQUIRE(plugin().stream->copy(stream.handle(), to.handle(), Memory::begin() + 3, from.handle(),
                                  Memory::begin() + 5, size) == COLLET_OK);
    REQUIRE(stream.synchronize() == COLLET_OK);
    Bytes expected(size + 20, 0x11);
    std::copy_n(source.begin() + 5, size, expected.begin() + 3);
    CHECK(to.bytes() == expected);
    CHECK(to.has_canaries());
    CHECK(from.bytes() == source);
  }
}

TEST_CASE("PLUG-STR-10 writes and reads move exactly their range") {
  const Stream stream;
  for (const std::size_t size : {0U, 1U, 300U, 70'001U}) {
    const Memory memory(size + 8, 0x11);
    const Bytes source = numbered(size);
    REQUIRE(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin() + 4,
                                   size == 0 ? nullptr : source.data(), size, 0,
                                   UINT64_MAX) == COLLET_OK);
    Bytes out(size + 2, 0x22);
    REQUIRE(plugin().stream->read(stream.handle(), size == 0 ? nullptr : out.data() + 1,
                                  memory.handle(), Memory::begin() + 4, size, 0,
                                  UINT64_MAX) == COLLET_OK);
    Bytes expected(size + 8, 0x11);
    std::copy(source.begin(), source.end(), expected.begin() + 4);
    CHECK(memory.bytes() == expected);
    CHECK(memory.has_canaries());
    CHECK(out.front() == 0x22);
    CHECK(out.back() == 0x22);
    CHECK(std::equal(source.begin(), source.end(), out.begin() + 1));
  }
}

TEST_CASE("PLUG-STR-11 a rectangle copy moves exactly its rows") {
  const Stream stream;
  struct Shape {
    std::uint64_t width, height, dst_pitch, src_pitch;
  };
  for (const Shape shape : {Shape{5, 4, 9, 7}, Shape{5, 4, 5, 5}, Shape{1, 100, 3, 1},
                            Shape{0, 4, 9, 7}, Shape{5, 0, 9, 7}, Shape{7, 1, 0, 0}}) {
    const std::size_t rows = std::max<std::size_t>(shape.height, 1);
    const Bytes source = numbered(rows * std::max<std::size_t>(shape.src_pitch, shape.width) + 10);
    const Memory from(source);
    const Memory to(rows * std::max<std::size_t>(shape.dst_pitch, shape.width) + 10, 0x11);
    Bytes expected = to.bytes();
    for (std::uint64_t y = 0; y < shape.height; ++y) {
      for (std::uint64_t x = 0; x < shape.width; ++x) {
        expected[2 + y * shape.dst_pitch + x] = source[3 + y * shape.src_pitch + x];
      }
    }
    const collet_rect_t rect = {Memory::begin() + 2, Memory::begin() + 3, shape.width,
                                shape.height,        shape.dst_pitch,     shape.src_pitch};
    REQUIRE(plugin().stream->copy_rect(stream.handle(), to.handle(), from.handle(), &rect) ==
            COLLET_OK);
    REQUIRE(stream.synchronize() == COLLET_OK);
    CHECK(to.bytes() == expected);
    CHECK(to.has_canaries());
  }
}

TEST_CASE("PLUG-STR-12 a fill repeats its pattern over exactly its range") {
  const Stream stream;
  for (const std::size_t pattern_size : {1U, 2U, 4U, 8U, 16U}) {
    for (const std::size_t count : {0U, 1U, 5U, 1000U}) {
      const std::size_t size = count * pattern_size;
      const Memory memory(size + 2 * pattern_size, 0x11);
      std::array<unsigned char, 16> pattern{};
      std::iota(pattern.begin(), pattern.end(), static_cast<unsigned char>(100));
      const std::array<unsigned char, 16> used = pattern;
      REQUIRE(plugin().stream->fill(stream.handle(), memory.handle(),
                                    Memory::begin() + pattern_size, size, pattern.data(),
                                    pattern_size) == COLLET_OK);
      pattern.fill(0);  // it has been read
      REQUIRE(stream.synchronize() == COLLET_OK);
      Bytes expected(size + 2 * pattern_size, 0x11);
      for (std::size_t i = 0; i < size; ++i) expected[pattern_size + i] = used[i % pattern_size];
      CHECK(memory.bytes() == expected);
      CHECK(memory.has_canaries());
    }
  }
}

}  // namespace
}  // namespace collet::test
