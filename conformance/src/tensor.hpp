// SPDX-License-Identifier: Apache-2.0
/** A tensor in host memory: a layout, and bytes in and around its elements. */
#pragma once

#include <collet/ops.h>

#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "numbers.hpp"
#include "random.hpp"

namespace collet::conformance {

using Sizes = std::vector<std::int64_t>;

class Tensor {
 public:
  /** Elements in row-major order without gaps; `margin` elements before and behind. */
  Tensor(collet_type_t type, const Sizes& sizes, std::int64_t margin = 3);

  // Other layouts of the same sizes; the content is lost.

  /** The axes lie in memory in reverse order. */
  [[nodiscard]] Tensor transposed() const;
  /** Elements lie `step` apart along the last axis, and rows further than they need. */
  [[nodiscard]] Tensor with_gaps(std::int64_t step) const;
  /** Every axis runs backwards in memory. */
  [[nodiscard]] Tensor reversed() const;
  /** All elements along an axis are one. */
  [[nodiscard]] Tensor repeated(std::size_t axis) const;

  [[nodiscard]] const collet_layout_t& layout() const noexcept { return layout_; }
  [[nodiscard]] collet_type_t type() const noexcept { return layout_.type; }
  [[nodiscard]] std::int64_t size(std::size_t axis) const { return layout_.sizes[axis]; }
  [[nodiscard]] std::size_t rank() const noexcept { return layout_.rank; }
  /** Number of elements. */
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  /** Where the element of index 0 lies. */
  [[nodiscard]] std::uint64_t offset_bytes() const noexcept { return offset_; }
  [[nodiscard]] Bytes& bytes() noexcept { return bytes_; }
  [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }

  /** Where an element lies; elements are numbered in row-major order of their indices. */
  [[nodiscard]] std::size_t place_of(std::int64_t number) const;
  [[nodiscard]] Number get(std::int64_t number) const { return decode(type(), at(number)); }
  void set(std::int64_t number, Number value) { encode(type(), value, at(number)); }
  /** An element by its index along each axis; axes of size 1 broadcast. */
  [[nodiscard]] Number get_broadcast(const Sizes& index) const;

  /** Index along each axis of an element. */
  [[nodiscard]] Sizes index_of(std::int64_t number) const;

  /** Integers from -most to most (or 0 to most), which every type holds exactly. */
  void fill_integers(Random& random, std::int64_t most);
  /** Numbers from -1 to 1 times `scale`. */
  void fill_numbers(Random& random, Number scale = 1);
  void fill(Number value);
  /** Bytes between and around the elements become NaN of every float type. */
  void poison_gaps();

 private:
  [[nodiscard]] const std::uint8_t* at(std::int64_t number) const {
    return bytes_.data() + place_of(number);
  }
  [[nodiscard]] std::uint8_t* at(std::int64_t number) { return bytes_.data() + place_of(number); }
  /** Sets offset and room for the strides that the layout has. */
  void allocate(std::int64_t margin);

  collet_layout_t layout_{};
  std::int64_t count_ = 0;
  std::uint64_t offset_ = 0;
  Bytes bytes_;
};

}  // namespace collet::conformance
