// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/region.hpp"

#include <utility>

namespace collet::loader::validate {
namespace {

// Whether a row of `region` has bytes in [begin, end).
bool has_bytes_in(const Region& region, std::uint64_t begin, std::uint64_t end) noexcept {
  if (begin >= region.end_bytes() || end <= region.offset_bytes) {
    return false;
  }
  if (region.is_dense()) {
    return true;
  }
  // The last row that begins before `end` is the one that reaches farthest.
  const std::uint64_t last = (end - 1 - region.offset_bytes) / region.pitch_bytes;
  const std::uint64_t row = last < region.rows ? last : region.rows - 1;
  return region.offset_bytes + row * region.pitch_bytes + region.width_bytes > begin;
}

}  // namespace

bool overlap(const Region& a, const Region& b) noexcept {
  if (a.is_empty() || b.is_empty()) {
    return false;
  }
  const bool by_a = a.is_dense() || (!b.is_dense() && a.rows < b.rows);
  const Region& few = by_a ? a : b;
  const Region& many = by_a ? b : a;
  if (few.is_dense()) {
    return has_bytes_in(many, few.offset_bytes, few.end_bytes());
  }
  for (std::uint64_t row = 0; row < few.rows; ++row) {
    const std::uint64_t begin = few.offset_bytes + row * few.pitch_bytes;
    if (has_bytes_in(many, begin, begin + few.width_bytes)) {
      return true;
    }
  }
  return false;
}

bool contains(const Region& outer, const Region& inner) noexcept {
  if (outer.is_dense()) {
    return outer.offset_bytes <= inner.offset_bytes && inner.end_bytes() <= outer.end_bytes();
  }
  return outer.offset_bytes == inner.offset_bytes && outer.width_bytes == inner.width_bytes &&
         outer.rows == inner.rows && outer.pitch_bytes == inner.pitch_bytes;
}

}  // namespace collet::loader::validate
