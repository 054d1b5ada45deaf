// SPDX-License-Identifier: Apache-2.0
#include <collet/tensor.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

namespace {

TEST_CASE("type_of knows the plain types of C++") {
  STATIC_REQUIRE(collet::type_of<float>() == COLLET_TYPE_F32);
  STATIC_REQUIRE(collet::type_of<double>() == COLLET_TYPE_F64);
  STATIC_REQUIRE(collet::type_of<bool>() == COLLET_TYPE_BOOL);
  STATIC_REQUIRE(collet::type_of<std::int8_t>() == COLLET_TYPE_I8);
  STATIC_REQUIRE(collet::type_of<std::uint16_t>() == COLLET_TYPE_U16);
  STATIC_REQUIRE(collet::type_of<std::int32_t>() == COLLET_TYPE_I32);
  STATIC_REQUIRE(collet::type_of<unsigned long long>() == COLLET_TYPE_U64);
}

TEST_CASE("make_contiguous puts the last axis innermost") {
  const collet::Layout layout = collet::make_contiguous(COLLET_TYPE_F32, {2, 3, 4});
  CHECK(layout.rank() == 3);
  CHECK(layout.stride(0) == 12);
  CHECK(layout.stride(1) == 4);
  CHECK(layout.stride(2) == 1);
  CHECK(layout.element_count() == 24);
  CHECK(collet::make_contiguous(COLLET_TYPE_F32, {}).element_count() == 1);
  CHECK(collet::make_contiguous(COLLET_TYPE_F32, {3, 0}).element_count() == 0);
}

TEST_CASE("make_contiguous refuses sizes that no tensor has") {
  CHECK_THROWS_AS(collet::make_contiguous(COLLET_TYPE_U8, {1, 1, 1, 1, 1, 1, 1, 1, 1}),
                  std::invalid_argument);
  CHECK_THROWS_AS(collet::make_contiguous(COLLET_TYPE_U8, {2, -1}), std::invalid_argument);
  CHECK_THROWS_AS(
      collet::make_contiguous(COLLET_TYPE_U8, {std::int64_t{1} << 32, std::int64_t{1} << 32}),
      std::length_error);
}

TEST_CASE("Layout transpose exchanges axes, and refuses those it has not") {
  const collet::Layout layout = collet::make_contiguous(COLLET_TYPE_F32, {2, 3}).transpose(0, 1);
  CHECK(layout.size(0) == 3);
  CHECK(layout.size(1) == 2);
  CHECK(layout.stride(0) == 1);
  CHECK(layout.stride(1) == 3);
  CHECK_THROWS_AS(layout.transpose(0, 2), std::out_of_range);
  CHECK_THROWS_AS(layout.size(2), std::out_of_range);
}

TEST_CASE("TensorView slice names the elements of a range") {
  const collet::Stream stream;
  const auto all = collet::TensorView::allocate(stream, collet::type_of<int>(), {3, 4});
  stream.write(all.origin(), std::vector{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const collet::TensorView part = all.slice(0, 1, 3).slice(1, 2, 4);
  CHECK(part.buffer.get() == all.buffer.get());
  CHECK(part.offset_bytes == 6 * sizeof(int));
  CHECK(part.layout.size(0) == 2);
  CHECK(part.layout.size(1) == 2);
  CHECK(part.layout.stride(0) == 4);
  std::vector<int> first(2);
  stream.read(part.origin(), first);
  CHECK(first == std::vector{12, 13});

  CHECK(all.slice(0, 3, 3).layout.element_count() == 0);
  CHECK_THROWS_AS(all.slice(0, 1, 4), std::out_of_range);
  CHECK_THROWS_AS(all.slice(0, -1, 2), std::out_of_range);
  CHECK_THROWS_AS(all.slice(0, 2, 1), std::out_of_range);
  CHECK_THROWS_AS(all.slice(2, 0, 1), std::out_of_range);
}

}  // namespace
