// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

namespace collet::conformance {
namespace {

/** A binary float type by its numbers, as IEEE 754 names them. */
struct FloatFormat {
  int precision;
  int greatest_exponent;
  int bytes;
};

FloatFormat format_of(collet_type_t type) {
  switch (type) {
    case COLLET_TYPE_F16:
      return {11, 15, 2};
    case COLLET_TYPE_BF16:
      return {8, 127, 2};
    case COLLET_TYPE_F32:
      return {24, 127, 4};
    default:
      return {53, 1023, 8};
  }
}

/** Exponent of the last bit of a value: that of denormals for small ones. */
int last_bit(const FloatFormat& format, Number value) {
  const int least = 1 - format.greatest_exponent - (format.precision - 1);
  if (value == 0) return least;
  return std::max(std::ilogb(value) - (format.precision - 1), least);
}

Number rounded(const FloatFormat& format, Number value) {
  if (!std::isfinite(value) || value == 0) return value;
  const int bit = last_bit(format, value);
  // The mode of the processor is to nearest, ties to even; scaling is exact.
  const Number result = std::ldexp(std::nearbyint(std::ldexp(value, -bit)), bit);
  const Number limit = std::ldexp(Number{1}, format.greatest_exponent + 1);
  return std::fabs(result) >= limit ? std::copysign(std::numeric_limits<Number>::infinity(), value)
                                    : result;
}

Number decode_float(const FloatFormat& format, std::uint64_t bits) {
  const int fraction_bits = format.precision - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const int exponent_bits = format.bytes * 8 - 1 - fraction_bits;
  const auto exponent =
      static_cast<int>((bits >> fraction_bits) & ((std::uint64_t{1} << exponent_bits) - 1));
  const Number sign = (bits >> (format.bytes * 8 - 1)) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::numeric_limits<Number>::quiet_NaN()
                         : sign * std::numeric_limits<Number>::infinity();
  }
  const Number significand = static_cast<Number>(fraction) +
                             (exponent == 0 ? Number{0} : std::ldexp(Number{1}, fraction_bits));
  return sign *
         std::ldexp(significand, std::max(exponent, 1) - format.greatest_exponent - fraction_bits);
}

std::uint64_t encode_float(const FloatFormat& format, Number value) {
  const int fraction_bits = format.precision - 1;
  const int exponent_bits = format.bytes * 8 - 1 - fraction_bits;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (format.bytes * 8 - 1) : 0;
  const std::uint64_t all_exponent = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  if (std::isnan(value)) return all_exponent | (std::uint64_t{1} << (fraction_bits - 1));
  value = std::fabs(rounded(format, value));
  if (std::isinf(value)) return sign | all_exponent;
  const int bit = last_bit(format, value);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(value, -bit));
  const int exponent = bit + fraction_bits + format.greatest_exponent;
  const bool is_normal = (significand >> fraction_bits) != 0;
  const std::uint64_t fraction = significand & ((std::uint64_t{1} << fraction_bits) - 1);
  return sign | fraction | (is_normal ? static_cast<std::uint64_t>(exponent) << fraction_bits : 0);
}

struct IntegerRange {
  Number least;
  Number greatest;
};

IntegerRange range_of(collet_type_t type) {
  const int bits = static_cast<int>(size_of(type)) * 8;
  const bool is_signed = type == COLLET_TYPE_I8 || type == COLLET_TYPE_I16 ||
                         type == COLLET_TYPE_I32 || type == COLLET_TYPE_I64;
  if (!is_signed) return {0, std::ldexp(Number{1}, bits) - 1};
  return {-std::ldexp(Number{1}, bits - 1), std::ldexp(Number{1}, bits - 1) - 1};
}

}  // namespace

std::size_t size_of(collet_type_t type) {
  switch (type) {
    case COLLET_TYPE_BOOL:
    case COLLET_TYPE_I8:
    case COLLET_TYPE_U8:
      return 1;
    case COLLET_TYPE_I16:
    case COLLET_TYPE_U16:
    case COLLET_TYPE_F16:
    case COLLET_TYPE_BF16:
      return 2;
    case COLLET_TYPE_I32:
    case COLLET_TYPE_U32:
    case COLLET_TYPE_F32:
      return 4;
    default:
      return 8;
  }
}

const char* name_of(collet_type_t type) {
  constexpr const char* kNames[] = {"none", "bool", "i8",  "u8",  "i16",  "u16", "i32",
                                    "u32",  "i64",  "u64", "f16", "bf16", "f32", "f64"};
  return type >= 0 && type <= COLLET_TYPE_F64 ? kNames[type] : "?";
}

bool is_float(collet_type_t type) { return type >= COLLET_TYPE_F16 && type <= COLLET_TYPE_F64; }

Number decode(collet_type_t type, const void* element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, size_of(type));
  if (is_float(type)) return decode_float(format_of(type), bits);
  switch (type) {
    case COLLET_TYPE_BOOL:
      return bits != 0 ? 1 : 0;
    case COLLET_TYPE_I8:
      return static_cast<std::int8_t>(bits);
    case COLLET_TYPE_I16:
      return static_cast<std::int16_t>(bits);
    case COLLET_TYPE_I32:
      return static_cast<std::int32_t>(bits);
    case COLLET_TYPE_I64:
      return static_cast<Number>(static_cast<std::int64_t>(bits));
    default:
      return static_cast<Number>(bits);
  }
}

void encode(collet_type_t type, Number value, void* element) {
  std::uint64_t bits = 0;
  if (is_float(type)) {
    bits = encode_float(format_of(type), value);
  } else {
    const Number held = converted(type, value);
    bits = held < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(held))
                    : static_cast<std::uint64_t>(held);
  }
  std::memcpy(element, &bits, size_of(type));
}

Number converted(collet_type_t type, Number value) {
  if (is_float(type)) return rounded(format_of(type), value);
  if (type == COLLET_TYPE_BOOL) return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  const IntegerRange range = range_of(type);
  return std::clamp(std::trunc(value), range.least, range.greatest);
}

int precision_of(collet_type_t type) { return format_of(type).precision; }

Number spacing(collet_type_t type, Number value) {
  return std::ldexp(Number{1}, last_bit(format_of(type), value));
}

Number greatest(collet_type_t type) {
  const FloatFormat format = format_of(type);
  return std::ldexp(2 - std::ldexp(Number{1}, 1 - format.precision), format.greatest_exponent);
}

Number least(collet_type_t type) { return spacing(type, 0); }

std::string number_text(Number value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.20Lg", value);
  return text.data();
}

bool is_same(Number a, Number b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace collet::conformance
