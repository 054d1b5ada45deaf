// SPDX-License-Identifier: Apache-2.0
/** Whether bytes have changed. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace collet::sim {

/** A number that is another one after any change of up to eight neighbouring bytes, surely. */
[[nodiscard]] inline std::uint64_t fingerprint(const std::byte* data,
                                               std::uint64_t size_bytes) noexcept {
  // Each step is a bijection of the state, so that a difference cannot vanish by itself.
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  constexpr unsigned kShift = 29;
  std::uint64_t state = size_bytes;
  for (std::uint64_t at = 0; at < size_bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    const std::uint64_t left = size_bytes - at;
    std::memcpy(&word, data + at, left < sizeof(word) ? left : sizeof(word));
    state = (state ^ word) * kFactor;
    state ^= state >> kShift;
  }
  return state;
}

}  // namespace collet::sim
