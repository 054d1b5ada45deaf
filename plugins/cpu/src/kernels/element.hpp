// SPDX-License-Identifier: Apache-2.0
//
// Element types, and the conversion of single values, without branches so that loops vectorise.
#pragma once

#include <limits>
#include <type_traits>

#include "isa.hpp"

namespace collet::cpu::COLLET_CPU_ISA {

struct Bool {
  std::uint8_t byte;
};
struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};

inline std::uint32_t bits_of(float value) { return __builtin_bit_cast(std::uint32_t, value); }
inline std::uint64_t bits_of(double value) { return __builtin_bit_cast(std::uint64_t, value); }
inline float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

inline float to_f32(BF16 value) { return float_of(static_cast<std::uint32_t>(value.bits) << 16); }

inline float to_f32(F16 value) {
  const std::uint32_t bits = value.bits;
  const std::uint32_t magnitude = (bits & 0x7fff) << 13;
  // The product moves the exponent to f32's bias; denormals become normal by it.
  const std::uint32_t finite = bits_of(float_of(magnitude) * 0x1p112F);
  const std::uint32_t special = magnitude | 0x7f800000;
  const std::uint32_t sign = (bits & 0x8000) << 16;
  return float_of((magnitude >= (0x7c00U << 13) ? special : finite) | sign);
}

inline BF16 to_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40;
  return {static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet_nan : rounded)};
}

inline F16 to_f16(float value) {
  constexpr std::uint32_t kSmallestNormal = 0x38800000;    // 2^-14
  constexpr std::uint32_t kRoundsToInfinity = 0x477ff000;  // 65520
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  const std::uint32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // The unit in the last place of 0.5 is that of f16's denormals: the sum rounds to it.
  const std::uint32_t denormal = bits_of(float_of(magnitude) + 0.5F) - bits_of(0.5F);
  const std::uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  std::uint32_t result = magnitude < kSmallestNormal ? denormal : normal;
  result = magnitude >= kRoundsToInfinity ? 0x7c00U : result;
  result = magnitude > 0x7f800000 ? nan : result;
  return {static_cast<std::uint16_t>(result | ((bits >> 16) & 0x8000))};
}

// Rounds to an odd last bit where inexact: narrowing the result once more rounds as if at once.
inline float to_f32_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const std::uint32_t bits = bits_of(nearest);
  const std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63);
  const std::uint32_t away = (bits_of(back) & kMagnitude) > (bits_of(value) & kMagnitude) ? 1 : 0;
  const bool exact = back == value || value != value;
  return float_of(exact ? bits : ((bits - away) | 1));
}

// An integer as a double that rounds to bf16 and f16 as the integer itself does.
template <class Integer>
double to_f64_odd(Integer value) {
  constexpr int kDropped = 11;
  const bool negative = value < 0;
  const auto unsigned_value = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = negative ? 0 - unsigned_value : unsigned_value;
  const std::uint64_t sticky = (magnitude & ((1U << kDropped) - 1)) != 0 ? 1 : 0;
  const std::uint64_t kept = (magnitude >> kDropped) | sticky;
  const bool fits = magnitude < (std::uint64_t{1} << 53);
  const double result = fits ? static_cast<double>(magnitude) : static_cast<double>(kept) * 0x1p11;
  return negative ? -result : result;
}

// NaN becomes 0, and what is outside of the type its nearest end.
template <class Integer>
Integer saturate(double value) {
  using Limits = std::numeric_limits<Integer>;
  constexpr Integer kMin = Limits::min();
  constexpr Integer kMax = Limits::max();
  // The least double that is too large, and the greatest that is not.
  constexpr double kEnd = static_cast<double>((kMax >> 1) + 1) * 2;
  constexpr double kGreatest = Limits::digits > 53 ? kEnd - (kEnd * 0x1p-53) : kEnd - 1;
  const double ordered = value != value ? 0.0 : value;
  const double from_below =
      ordered < static_cast<double>(kMin) ? static_cast<double>(kMin) : ordered;
  const double inside = from_below > kGreatest ? kGreatest : from_below;
  return ordered >= kEnd ? kMax : static_cast<Integer>(inside);
}

// load<To>(element): the element as a compute type.
template <class To, class From>
To load(From element) {
  if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(element.byte != 0);
  } else if constexpr (std::is_same_v<From, F16> || std::is_same_v<From, BF16>) {
    return static_cast<To>(to_f32(element));
  } else {
    return static_cast<To>(element);
  }
}

// store<To>(value): a value of a compute type as an element.
template <class To, class From>
To store(From value) {
  constexpr bool kFromFloat = std::is_floating_point_v<From>;
  if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<std::uint8_t>(value != 0)};
  } else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16>) {
    float single = 0;
    if constexpr (std::is_same_v<From, float>) {
      single = value;
    } else if constexpr (kFromFloat) {
      single = to_f32_odd(value);
    } else {
      single = to_f32_odd(to_f64_odd(value));
    }
    if constexpr (std::is_same_v<To, F16>) {
      return to_f16(single);
    } else {
      return to_bf16(single);
    }
  } else if constexpr (kFromFloat && std::is_integral_v<To>) {
    return saturate<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace collet::cpu::COLLET_CPU_ISA
