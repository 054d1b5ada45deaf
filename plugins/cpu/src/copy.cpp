// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include <cstring>

namespace collet::cpu {
namespace {

/** What one thread copies in the time that it takes to call another one. */
constexpr std::uint64_t kBytesPerThread = std::uint64_t{1} << 20;

}  // namespace

void copy_bytes(Executor& executor, void* dst, const void* src, std::uint64_t size_bytes) {
  if (size_bytes == 0) return;
  executor.parallel_ranges(size_bytes, kBytesPerThread,
                           [&](std::uint64_t begin, std::uint64_t end) {
                             std::memcpy(static_cast<std::byte*>(dst) + begin,
                                         static_cast<const std::byte*>(src) + begin, end - begin);
                           });
}

void copy_rows(Executor& executor, std::byte* dst, const std::byte* src,
               const collet_rect_t& rect) {
  if (rect.width_bytes == 0 || rect.height == 0) return;
  dst += rect.dst_offset_bytes;
  src += rect.src_offset_bytes;
  if (rect.dst_pitch_bytes == rect.width_bytes && rect.src_pitch_bytes == rect.width_bytes) {
    return copy_bytes(executor, dst, src, rect.width_bytes * rect.height);
  }
  const std::uint64_t rows_per_thread = kBytesPerThread / rect.width_bytes + 1;
  executor.parallel_ranges(rect.height, rows_per_thread,
                           [&](std::uint64_t begin, std::uint64_t end) {
                             for (std::uint64_t row = begin; row < end; ++row) {
                               std::memcpy(dst + row * rect.dst_pitch_bytes,
                                           src + row * rect.src_pitch_bytes, rect.width_bytes);
                             }
                           });
}

Pattern::Pattern(const void* bytes, std::uint64_t size_bytes) noexcept : line_{} {
  std::memcpy(line_.data(), bytes, size_bytes);
  for (std::size_t done = size_bytes; done < kLine; done *= 2) {
    std::memcpy(line_.data() + done, line_.data(), done);
  }
}

void Pattern::fill(Executor& executor, std::byte* dst, std::uint64_t size_bytes) const {
  const std::uint64_t lines = size_bytes / kLine;
  const bool is_one_byte = std::memcmp(line_.data(), line_.data() + 1, kLine - 1) == 0;
  executor.parallel_ranges(
      lines, kBytesPerThread / kLine, [&](std::uint64_t begin, std::uint64_t end) {
        if (is_one_byte) {
          std::memset(dst + begin * kLine, std::to_integer<int>(line_[0]), (end - begin) * kLine);
          return;
        }
        for (std::uint64_t i = begin; i < end; ++i) {
          std::memcpy(dst + i * kLine, line_.data(), kLine);
        }
      });
  std::memcpy(dst + lines * kLine, line_.data(), size_bytes % kLine);
}

}  // namespace collet::cpu
