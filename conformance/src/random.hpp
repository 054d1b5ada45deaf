// SPDX-License-Identifier: Apache-2.0
/** Random numbers that a seed brings back, on every machine and with every compiler. */
#pragma once

#include <cstdint>
#include <string_view>

namespace collet::conformance {

/** Spreads the bits of a number over all 64. */
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  // The finalizer of splitmix64.
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  /** For one case: of two cases with one seed, each has numbers of its own. */
  [[nodiscard]] static constexpr Random of(std::uint64_t seed, std::string_view name) noexcept {
    for (const char c : name) seed = mix(seed ^ static_cast<unsigned char>(c));
    return Random(seed);
  }

  constexpr std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15U;
    return mix(state_);
  }

  /** A number less than `bound`, which is not 0. */
  constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  /** A number from `least` to `greatest`. */
  constexpr std::uint64_t between(std::uint64_t least, std::uint64_t greatest) noexcept {
    return least + below(greatest - least + 1);
  }

 private:
  std::uint64_t state_;
};

}  // namespace collet::conformance
