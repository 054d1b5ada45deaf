// SPDX-License-Identifier: Apache-2.0
//
// Rectangles in ranges of host memory, whose sizes only C++ knows.
#pragma once

#include <collet/stream.h>

#include <cstdint>
#include <stdexcept>

namespace collet::detail {

/// Throws std::out_of_range unless a side of a rectangle lies in `size_bytes` bytes.
inline void check_rect(std::uint64_t size_bytes, std::uint64_t offset_bytes,
                       std::uint64_t pitch_bytes, const collet_rect_t& rect) {
  if (rect.width_bytes == 0 || rect.height == 0) return;
  // Each step is smaller than what is left, so that nothing overflows.
  const bool has_first =
      offset_bytes <= size_bytes && rect.width_bytes <= size_bytes - offset_bytes;
  const std::uint64_t left = has_first ? size_bytes - offset_bytes - rect.width_bytes : 0;
  const std::uint64_t steps = rect.height - 1;
  if (!has_first || (steps != 0 && pitch_bytes != 0 && steps > left / pitch_bytes)) {
    throw std::out_of_range("collet: the rectangle ends past the range of host memory");
  }
}

}  // namespace collet::detail
