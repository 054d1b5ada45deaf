// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions in f32, in straight-line code that vectorises; about 2 units in the last
// place. In f64 the C library is called.
#pragma once

#include "element.hpp"

namespace collet::cpu::COLLET_CPU_ISA {

constexpr float kInfinity = __builtin_huge_valf();
constexpr float kNan = __builtin_nanf("");

inline float absolute(float x) { return float_of(bits_of(x) & 0x7fffffff); }

// The magic sum rounds to an integer, whose bits are in the low part of the result.
constexpr float kRoundMagic = 0x1.8p23F;

inline float exponential(float x) {
  // Beyond these the result is infinite or zero. A NaN passes both comparisons.
  const float low = x < -104.0F ? -104.0F : x;
  const float clamped = low > 89.0F ? 89.0F : low;
  const float shifted = clamped * 0x1.715476p+0F + kRoundMagic;
  const float n = shifted - kRoundMagic;
  const std::uint32_t exponent = bits_of(shifted) - bits_of(kRoundMagic);
  // ln 2 in two parts, the first of so few bits that its product is exact.
  const float r = (clamped - n * 0x1.63p-1F) - n * -0x1.bd0106p-13F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = (p * (r * r) + r) + 1.0F;
  // In two factors, so that neither overflows where the result is denormal or near the end.
  const std::uint32_t half = static_cast<std::uint32_t>(static_cast<std::int32_t>(exponent) >> 1);
  const std::uint32_t rest = exponent - half;
  return (p * float_of((half + 127) << 23)) * float_of((rest + 127) << 23);
}

inline double exponential(double x) { return __builtin_exp(x); }

inline float logarithm(float x) {
  const bool denormal = x < 0x1p-126F;
  const float scaled = denormal ? x * 0x1p23F : x;
  // mantissa in [sqrt(1/2), sqrt(2))
  const std::uint32_t offset = bits_of(scaled) - 0x3f3504f3;
  const std::int32_t exponent = static_cast<std::int32_t>(offset) >> 23;
  const float m = float_of((offset & 0x007fffff) + 0x3f3504f3) - 1.0F;
  const float e = static_cast<float>(exponent) - (denormal ? 23.0F : 0.0F);
  float p = 7.0376836292e-2F;
  p = p * m - 1.1514610310e-1F;
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  const float square = m * m;
  float y = p * m * square;
  y += e * -0x1.bd0106p-13F;
  y -= 0.5F * square;
  float result = (m + y) + e * 0x1.63p-1F;
  result = x == kInfinity ? kInfinity : result;
  result = x == 0.0F ? -kInfinity : result;
  result = x < 0.0F ? kNan : result;
  return x != x ? x : result;
}

inline double logarithm(double x) { return __builtin_log(x); }

inline float hyperbolic_tangent(float x) {
  const float a = absolute(x);
  const float z = x * x;
  float p = -5.70498872745e-3F;
  p = p * z + 2.06390887954e-2F;
  p = p * z - 5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z - 3.33332819422e-1F;
  const float near = p * z * x + x;
  const float far = 1.0F - 2.0F / (exponential(a + a) + 1.0F);
  const float signed_far = x < 0.0F ? -far : far;
  return a < 0.625F ? near : signed_far;
}

inline double hyperbolic_tangent(double x) { return __builtin_tanh(x); }

inline float error_function(float x) {
  const float low = x < -4.0F ? -4.0F : x;
  const float c = low > 4.0F ? 4.0F : low;
  const float z = c * c;
  float p = -2.72614225801306e-10F;
  p = p * z + 2.77068142495902e-08F;
  p = p * z - 2.10102402082508e-06F;
  p = p * z - 5.69250639462346e-05F;
  p = p * z - 7.34990630326855e-04F;
  p = p * z - 2.95459980854025e-03F;
  p = p * z - 1.60960333262415e-02F;
  float q = -1.45660718464996e-05F;
  q = q * z - 2.13374055278905e-04F;
  q = q * z - 1.68282697438203e-03F;
  q = q * z - 7.37332916720468e-03F;
  q = q * z - 1.42647390514189e-02F;
  return c * p / q;
}

inline double error_function(double x) { return __builtin_erf(x); }

inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }

// Exact for both signs: the exponential never overflows.
template <class Float>
Float sigmoid(Float x) {
  const Float e = exponential(x < 0 ? x : -x);
  const Float numerator = x < 0 ? e : Float{1};
  return numerator / (Float{1} + e);
}

template <class Float>
Float gelu(Float x) {
  constexpr auto kHalfRoot = static_cast<Float>(0.70710678118654752440);
  return x * Float{0.5} * (Float{1} + error_function(x * kHalfRoot));
}

}  // namespace collet::cpu::COLLET_CPU_ISA
