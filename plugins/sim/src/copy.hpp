// SPDX-License-Identifier: Apache-2.0
/** Moving bytes. */
#pragma once

#include <collet/stream.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace collet::sim {

/** The pointers may be NULL where there is nothing to copy. */
void copy_bytes(void* dst, const void* src, std::uint64_t size_bytes) noexcept;

/** Copies `height` rows; the pointers are the memories that the offsets of `rect` count from. */
void copy_rows(std::byte* dst, const std::byte* src, const collet_rect_t& rect) noexcept;

/** A pattern of 1, 2, 4, 8 or 16 bytes. */
class Pattern {
 public:
  Pattern(const void* bytes, std::uint64_t size_bytes) noexcept;

  /** Repeats the pattern from `dst` on; the size is a multiple of the pattern's. */
  void fill(std::byte* dst, std::uint64_t size_bytes) const noexcept;

 private:
  static constexpr std::size_t kLongest = 16;

  /** The pattern, repeated to this length. */
  std::array<std::byte, kLongest> bytes_;
};

}  // namespace collet::sim
