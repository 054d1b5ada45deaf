// SPDX-License-Identifier: Apache-2.0
// The bytes of a memory that a command touches: rows of equal length and distance.
#pragma once

#include <cstdint>

namespace collet::loader::validate {

struct Region {
  std::uint64_t offset_bytes = 0;
  std::uint64_t width_bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t pitch_bytes = 0;

  // The last row only ends with its bytes.
  [[nodiscard]] std::uint64_t end_bytes() const noexcept {
    return is_empty() ? offset_bytes : offset_bytes + (rows - 1) * pitch_bytes + width_bytes;
  }
  [[nodiscard]] bool is_empty() const noexcept { return width_bytes == 0 || rows == 0; }
  // Without gaps.
  [[nodiscard]] bool is_dense() const noexcept { return rows <= 1 || pitch_bytes == width_bytes; }
};

[[nodiscard]] bool overlap(const Region& a, const Region& b) noexcept;

// True if all bytes of `inner` are bytes of `outer`; may be false where it is hard to tell.
[[nodiscard]] bool contains(const Region& outer, const Region& inner) noexcept;

}  // namespace collet::loader::validate
