// SPDX-License-Identifier: Apache-2.0
// What a pool counts. Each arena counts by itself, under its own lock, so that streams do not slow
// each other down; peaks of the whole pool are exact all the same.
//
// For that, an arena has an allowance: as long as it stays below, the sum over all arenas cannot
// exceed the peak so far. An allocation that would go above is counted under the locks of all
// arenas, where the sum is known; see MemoryPool::count().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace collet::loader {

// What is allocated at a time: sums over buffers, and their number.
enum class Measure : std::uint8_t { kRequested, kAllocated, kActive, kBuffers };
inline constexpr std::size_t kMeasures = 4;

using Measures = std::array<std::uint64_t, kMeasures>;

inline std::uint64_t& at(Measures& measures, Measure which) noexcept {
  return measures[static_cast<std::size_t>(which)];
}
inline std::uint64_t at(const Measures& measures, Measure which) noexcept {
  return measures[static_cast<std::size_t>(which)];
}

struct ArenaCounts {
  Measures current{};
  Measures allowance{};
  // All that ever was, ended or not.
  Measures total{};

  // Counts a new buffer; false if that would exceed an allowance, and nothing is counted.
  [[nodiscard]] bool add(std::uint64_t requested, std::uint64_t allocated) noexcept {
    const Measures added{requested, allocated, allocated, 1};
    for (std::size_t i = 0; i < kMeasures; ++i) {
      if (current[i] + added[i] > allowance[i]) [[unlikely]] {
        return false;
      }
    }
    add_unchecked(added);
    return true;
  }

  void add_unchecked(const Measures& added) noexcept {
    for (std::size_t i = 0; i < kMeasures; ++i) {
      current[i] += added[i];
      total[i] += added[i];
    }
  }

  // A buffer ends; its block may still be in use.
  void end_buffer(std::uint64_t requested, std::uint64_t allocated) noexcept {
    at(current, Measure::kRequested) -= requested;
    at(current, Measure::kAllocated) -= allocated;
    at(current, Measure::kBuffers) -= 1;
  }
  // The block of a buffer that has ended is free.
  void end_block(std::uint64_t allocated) noexcept { at(current, Measure::kActive) -= allocated; }
};

}  // namespace collet::loader
