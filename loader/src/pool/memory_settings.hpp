// SPDX-License-Identifier: Apache-2.0
// COLLET_MEMORY: how the pools of the process work.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "grammar.hpp"

namespace collet::loader {

// A share of a device's memory, or bytes.
struct MemoryLimit {
  // Of the device's memory; 0: `bytes` count.
  std::uint32_t percent = 0;
  std::uint64_t bytes = UINT64_MAX;

  [[nodiscard]] std::uint64_t of(std::uint64_t device_bytes) const noexcept {
    // In this order, so that nothing overflows.
    return percent == 0 ? bytes : device_bytes / 100 * percent + device_bytes % 100 * percent / 100;
  }
};

enum class PoolMode : std::uint8_t {
  kOn,
  // Each buffer is an allocation of its own, and is freed when its last use is complete.
  kOff,
  // Each buffer of device memory is an allocation of the plugin's pool.
  kNative
};

struct MemorySettings {
  PoolMode pool = PoolMode::kOn;
  // Of what device memory a device's pool reserves.
  MemoryLimit limit;
  // Larger blocks are not split for buffers up to this size. At least what medium-sized buffers
  // share.
  std::uint64_t max_split_bytes = UINT64_MAX;
  // Sizes are rounded up to one of this many steps between two powers of two; 0: to units.
  std::uint32_t divisions = 0;

  // What a buffer of this size takes, in multiples of the unit.
  [[nodiscard]] std::uint64_t rounded(std::uint64_t size_bytes,
                                      std::uint64_t unit_bytes) const noexcept {
    std::uint64_t step = unit_bytes;
    if (divisions != 0) [[unlikely]] {
      step = std::max(step, std::bit_floor(size_bytes) / divisions);
    }
    return (std::max<std::uint64_t>(size_bytes, 1) + step - 1) & ~(step - 1);
  }
};

// Throws MALFORMED with a caret. "limit=80%,max_split=64MiB,divisions=4,pool=off"
MemorySettings parse_memory_settings(const Selector& written);

// The settings as they would be written, each of them.
std::string text_of(const MemorySettings& settings);

}  // namespace collet::loader
