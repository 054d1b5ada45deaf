// SPDX-License-Identifier: Apache-2.0
/** Nested loops over the elements of an operation. */
#pragma once

#include <collet/ops.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace collet::cpu {

/** Most operands that walk through memory together. */
inline constexpr std::uint32_t kMaxLoopOperands = 5;

/** One loop: how often, and by how many bytes each operand moves. */
struct Dimension {
  std::int64_t size = 1;
  std::array<std::int64_t, kMaxLoopOperands> steps = {};
};

/** Where each operand is, in bytes from its element of index 0. */
using Offsets = std::array<std::int64_t, kMaxLoopOperands>;

/**
 * Loops, outermost first, as few as the layouts allow: dimensions of size 1 are gone, and
 * neighbours that all operands cross with one step are merged.
 */
class Loop {
 public:
  /**
   * Over the indices of `sizes`. A layout's dimension of size 1, and every dimension of an
   * immediate, has step 0. The loops are ordered so that operand `order_by` moves least innermost.
   */
  Loop(std::span<const std::int64_t> sizes, std::span<const collet_layout_t> operands,
       std::uint32_t order_by = 0);

  /** Of loops that exist already, ordered and merged anew. */
  Loop(std::span<const Dimension> dimensions, std::uint32_t operand_count, std::uint32_t order_by);

  /** At least 1: a single element is one loop of size 1. */
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] const Dimension& operator[](std::uint32_t i) const noexcept {
    return dimensions_[i];
  }
  [[nodiscard]] const Dimension& inner() const noexcept { return dimensions_[rank_ - 1]; }
  [[nodiscard]] std::span<const Dimension> dimensions() const noexcept {
    return {dimensions_.data(), rank_};
  }
  /** Number of elements. */
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t operand_count() const noexcept { return operand_count_; }

  /**
   * Calls `body(offsets, n)` for runs of the innermost loop that cover the elements
   * [begin, end) in order.
   */
  template <class Body>
  void for_runs(std::int64_t begin, std::int64_t end, Body&& body) const {
    if (begin >= end) return;
    Cursor cursor = at(begin);
    while (begin < end) {
      const std::int64_t n = std::min(inner().size - cursor.index[rank_ - 1], end - begin);
      body(static_cast<const Offsets&>(cursor.offsets), n);
      begin += n;
      if (begin < end) advance(cursor, n);
    }
  }

 private:
  struct Cursor {
    std::array<std::int64_t, COLLET_MAX_RANK> index = {};
    Offsets offsets = {};
  };

  void order_and_merge(std::uint32_t order_by);
  [[nodiscard]] Cursor at(std::int64_t element) const noexcept;
  void advance(Cursor& cursor, std::int64_t n) const noexcept;

  std::uint32_t rank_ = 0;
  std::uint32_t operand_count_ = 0;
  std::int64_t count_ = 1;
  std::array<Dimension, COLLET_MAX_RANK> dimensions_ = {};
};

}  // namespace collet::cpu
