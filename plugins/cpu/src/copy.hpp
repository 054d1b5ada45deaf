// SPDX-License-Identifier: Apache-2.0
/** Moving bytes, with several threads where that pays. */
#pragma once

#include <collet/stream.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "executor.hpp"

namespace collet::cpu {

/** The pointers may be NULL where there is nothing to copy. */
void copy_bytes(Executor& executor, void* dst, const void* src, std::uint64_t size_bytes);

/** Copies `height` rows; the pointers are the memories that the offsets of `rect` count from. */
void copy_rows(Executor& executor, std::byte* dst, const std::byte* src, const collet_rect_t& rect);

/** A pattern of 1, 2, 4, 8 or 16 bytes, repeated to the length of a cache line. */
class Pattern {
 public:
  Pattern(const void* bytes, std::uint64_t size_bytes) noexcept;

  /** Repeats the pattern from `dst` on; the size is a multiple of the pattern's. */
  void fill(Executor& executor, std::byte* dst, std::uint64_t size_bytes) const;

 private:
  static constexpr std::size_t kLine = 64;

  alignas(kLine) std::array<std::byte, kLine> line_;
};

}  // namespace collet::cpu
