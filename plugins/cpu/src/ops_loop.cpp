// SPDX-License-Identifier: Apache-2.0
#include "ops_loop.hpp"

#include "ops_types.hpp"

namespace collet::cpu {
namespace {

std::int64_t magnitude(std::int64_t step) { return step < 0 ? -step : step; }

}  // namespace

Loop::Loop(std::span<const std::int64_t> sizes, std::span<const collet_layout_t> operands,
           std::uint32_t order_by)
    : rank_(static_cast<std::uint32_t>(sizes.size())),
      operand_count_(static_cast<std::uint32_t>(operands.size())) {
  for (std::uint32_t d = 0; d < rank_; ++d) {
    dimensions_[d].size = sizes[d];
    for (std::uint32_t i = 0; i < operand_count_; ++i) {
      const collet_layout_t& layout = operands[i];
      const bool moves = layout.immediate == 0 && d < layout.rank && layout.sizes[d] != 1;
      dimensions_[d].steps[i] = moves ? layout.strides[d] * type_size(layout.type) : 0;
    }
  }
  order_and_merge(order_by);
}

Loop::Loop(std::span<const Dimension> dimensions, std::uint32_t operand_count,
           std::uint32_t order_by)
    : rank_(static_cast<std::uint32_t>(dimensions.size())), operand_count_(operand_count) {
  std::copy(dimensions.begin(), dimensions.end(), dimensions_.begin());
  order_and_merge(order_by);
}

void Loop::order_and_merge(std::uint32_t order_by) {
  const auto first = dimensions_.begin();
  const auto last =
      std::remove_if(first, first + rank_, [](const Dimension& d) { return d.size == 1; });
  std::stable_sort(first, last, [order_by](const Dimension& a, const Dimension& b) {
    return magnitude(a.steps[order_by]) > magnitude(b.steps[order_by]);
  });
  const auto unmerged = static_cast<std::uint32_t>(last - first);
  rank_ = 0;
  count_ = 1;
  for (std::uint32_t d = 0; d < unmerged; ++d) {
    const Dimension next = dimensions_[d];
    count_ *= next.size;
    const auto follows = [&](const Dimension& previous) {
      for (std::uint32_t i = 0; i < operand_count_; ++i) {
        if (previous.steps[i] != next.steps[i] * next.size) return false;
      }
      return true;
    };
    if (rank_ > 0 && follows(dimensions_[rank_ - 1])) {
      dimensions_[rank_ - 1].size *= next.size;
      dimensions_[rank_ - 1].steps = next.steps;
    } else {
      dimensions_[rank_++] = next;
    }
  }
  if (rank_ == 0) dimensions_[rank_++] = Dimension{};
}

Loop::Cursor Loop::at(std::int64_t element) const noexcept {
  Cursor cursor;
  for (std::uint32_t d = rank_; d-- > 0;) {
    const Dimension& dimension = dimensions_[d];
    const std::int64_t index = element % dimension.size;
    element /= dimension.size;
    cursor.index[d] = index;
    for (std::uint32_t i = 0; i < operand_count_; ++i) {
      cursor.offsets[i] += index * dimension.steps[i];
    }
  }
  return cursor;
}

void Loop::advance(Cursor& cursor, std::int64_t n) const noexcept {
  for (std::uint32_t d = rank_; d-- > 0; n = 1) {
    const Dimension& dimension = dimensions_[d];
    cursor.index[d] += n;
    for (std::uint32_t i = 0; i < operand_count_; ++i) cursor.offsets[i] += n * dimension.steps[i];
    if (cursor.index[d] < dimension.size) return;
    cursor.index[d] = 0;
    for (std::uint32_t i = 0; i < operand_count_; ++i) {
      cursor.offsets[i] -= dimension.size * dimension.steps[i];
    }
  }
}

}  // namespace collet::cpu
