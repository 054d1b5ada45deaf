// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include <algorithm>
#include <cstring>

namespace collet::sim {

void copy_bytes(void* dst, const void* src, std::uint64_t size_bytes) noexcept {
  if (size_bytes > 0) std::memcpy(dst, src, size_bytes);
}

void copy_rows(std::byte* dst, const std::byte* src, const collet_rect_t& rect) noexcept {
  if (rect.width_bytes == 0) return;
  dst += rect.dst_offset_bytes;
  src += rect.src_offset_bytes;
  for (std::uint64_t row = 0; row < rect.height; ++row) {
    std::memcpy(dst + row * rect.dst_pitch_bytes, src + row * rect.src_pitch_bytes,
                rect.width_bytes);
  }
}

Pattern::Pattern(const void* bytes, std::uint64_t size_bytes) noexcept : bytes_{} {
  for (std::size_t at = 0; at < kLongest; at += size_bytes) {
    std::memcpy(bytes_.data() + at, bytes, size_bytes);
  }
}

void Pattern::fill(std::byte* dst, std::uint64_t size_bytes) const noexcept {
  for (std::uint64_t at = 0; at < size_bytes; at += kLongest) {
    std::memcpy(dst + at, bytes_.data(), std::min<std::uint64_t>(kLongest, size_bytes - at));
  }
}

}  // namespace collet::sim
