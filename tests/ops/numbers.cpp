// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace collet::test {
namespace {

/** A float type: bits of the mantissa without the leading one, and least exponent. */
struct FloatFormat {
  int mantissa;
  int least;
  int greatest;
};

FloatFormat format_of(collet_type_t type) {
  switch (type) {
    case COLLET_TYPE_F16:
      return {10, -14, 15};
    case COLLET_TYPE_BF16:
      return {7, -126, 127};
    case COLLET_TYPE_F32:
      return {23, -126, 127};
    default:
      return {52, -1022, 1023};
  }
}

int exponent_of(const FloatFormat& format, Number value) {
  if (value == 0) return format.least;
  return std::max(std::ilogb(value), format.least);
}

/** Bits of an integer type, and whether it has a sign. */
struct IntegerFormat {
  int bits;
  bool is_signed;
};

IntegerFormat integer_of(collet_type_t type) {
  const bool is_signed = type == COLLET_TYPE_I8 || type == COLLET_TYPE_I16 ||
                         type == COLLET_TYPE_I32 || type == COLLET_TYPE_I64;
  return {static_cast<int>(size_of(type)) * 8, is_signed};
}

Number decode_short(collet_type_t type, std::uint16_t bits) {
  const FloatFormat format = format_of(type);
  const int exponent_bits = 15 - format.mantissa;
  const int fraction = bits & ((1 << format.mantissa) - 1);
  const int exponent = (bits >> format.mantissa) & ((1 << exponent_bits) - 1);
  const Number sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::numeric_limits<Number>::quiet_NaN()
                         : sign * std::numeric_limits<Number>::infinity();
  }
  const int whole = exponent == 0 ? fraction : fraction + (1 << format.mantissa);
  const int scale = (exponent == 0 ? 1 : exponent) - 1 + format.least - format.mantissa;
  return sign * std::ldexp(static_cast<Number>(whole), scale);
}

std::uint16_t encode_short(collet_type_t type, Number value) {
  const FloatFormat format = format_of(type);
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = 0x7fff >> format.mantissa << format.mantissa;
  if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | 1 << (format.mantissa - 1));
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
  const Number magnitude = std::fabs(value);
  const int exponent = exponent_of(format, magnitude);
  const auto whole = static_cast<int>(std::ldexp(magnitude, format.mantissa - exponent));
  // The leading one, where there is one, adds the last step to the exponent.
  return static_cast<std::uint16_t>(sign |
                                    (((exponent - format.least) << format.mantissa) + whole));
}

template <class T>
Number decode_as(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<Number>(value);
}

template <class T>
void encode_as(Number value, void* element) {
  const auto typed = static_cast<T>(value);
  std::memcpy(element, &typed, sizeof typed);
}

}  // namespace

std::size_t size_of(collet_type_t type) {
  constexpr std::size_t kSizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return kSizes[type];
}

const char* name_of(collet_type_t type) {
  constexpr const char* kNames[] = {"none", "bool", "i8",  "u8",  "i16",  "u16", "i32",
                                    "u32",  "i64",  "u64", "f16", "bf16", "f32", "f64"};
  return kNames[type];
}

bool is_float(collet_type_t type) { return type >= COLLET_TYPE_F16 && type <= COLLET_TYPE_F64; }

Number decode(collet_type_t type, const void* element) {
  switch (type) {
    case COLLET_TYPE_BOOL:
      return decode_as<std::uint8_t>(element) != 0 ? 1 : 0;
    case COLLET_TYPE_I8:
      return decode_as<std::int8_t>(element);
    case COLLET_TYPE_U8:
      return decode_as<std::uint8_t>(element);
    case COLLET_TYPE_I16:
      return decode_as<std::int16_t>(element);
    case COLLET_TYPE_U16:
      return decode_as<std::uint16_t>(element);
    case COLLET_TYPE_I32:
      return decode_as<std::int32_t>(element);
    case COLLET_TYPE_U32:
      return decode_as<std::uint32_t>(element);
    case COLLET_TYPE_I64:
      return decode_as<std::int64_t>(element);
    case COLLET_TYPE_U64:
      return decode_as<std::uint64_t>(element);
    case COLLET_TYPE_F32:
      return decode_as<float>(element);
    case COLLET_TYPE_F64:
      return decode_as<double>(element);
    default:
      break;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, element, sizeof bits);
  return decode_short(type, bits);
}

void encode(collet_type_t type, Number value, void* element) {
  switch (type) {
    case COLLET_TYPE_BOOL:
      return encode_as<std::uint8_t>(value, element);
    case COLLET_TYPE_I8:
      return encode_as<std::int8_t>(value, element);
    case COLLET_TYPE_U8:
      return encode_as<std::uint8_t>(value, element);
    case COLLET_TYPE_I16:
      return encode_as<std::int16_t>(value, element);
    case COLLET_TYPE_U16:
      return encode_as<std::uint16_t>(value, element);
    case COLLET_TYPE_I32:
      return encode_as<std::int32_t>(value, element);
    case COLLET_TYPE_U32:
      return encode_as<std::uint32_t>(value, element);
    case COLLET_TYPE_I64:
      return encode_as<std::int64_t>(value, element);
    case COLLET_TYPE_U64:
      return encode_as<std::uint64_t>(value, element);
    case COLLET_TYPE_F32:
      return encode_as<float>(value, element);
    case COLLET_TYPE_F64:
      return encode_as<double>(value, element);
    default:
      break;
  }
  const std::uint16_t bits = encode_short(type, value);
  std::memcpy(element, &bits, sizeof bits);
}

Number converted(collet_type_t type, Number value, bool from_float) {
  if (type == COLLET_TYPE_BOOL) return value != 0 ? 1 : 0;
  if (is_float(type)) return rounded(type, value);
  const IntegerFormat format = integer_of(type);
  const int magnitude_bits = format.bits - (format.is_signed ? 1 : 0);
  const Number end = std::ldexp(Number{1}, magnitude_bits);
  const Number least = format.is_signed ? -end : 0;
  if (from_float) {
    if (std::isnan(value)) return 0;
    const Number whole = std::trunc(value);
    return whole < least ? least : whole >= end ? end - 1 : whole;
  }
  const Number period = std::ldexp(Number{1}, format.bits);
  Number wrapped = std::fmod(value, period);
  if (wrapped < least) wrapped += period;
  if (wrapped >= end) wrapped -= period;
  return wrapped;
}

Number rounded(collet_type_t type, Number value) {
  if (!is_float(type) || !std::isfinite(value)) return value;
  const FloatFormat format = format_of(type);
  const int scale = format.mantissa - exponent_of(format, value);
  const Number result = std::ldexp(std::nearbyint(std::ldexp(value, scale)), -scale);
  const Number end = std::ldexp(Number{1}, format.greatest + 1);
  if (std::fabs(result) < end) return result;
  return std::copysign(std::numeric_limits<Number>::infinity(), value);
}

Number ulp(collet_type_t type, Number value) {
  const FloatFormat format = format_of(type);
  return std::ldexp(Number{1}, exponent_of(format, value) - format.mantissa);
}

Number unit_roundoff(collet_type_t type) {
  return std::ldexp(Number{1}, -format_of(type).mantissa - 1);
}

bool same(Number a, Number b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

Number Random::next() {
  constexpr std::int64_t kHalf = std::int64_t{1} << 24;
  return static_cast<Number>(below(2 * kHalf + 1) - kHalf) / static_cast<Number>(kHalf);
}

std::int64_t Random::below(std::int64_t end) {
  state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(end));
}

}  // namespace collet::test
