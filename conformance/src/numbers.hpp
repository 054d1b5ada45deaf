// SPDX-License-Identifier: Apache-2.0
/**
 * Element types, one value at a time and as plainly as can be: the yardstick of operations. It
 * shares no code with any plugin.
 */
#pragma once

#include <collet/base.h>

#include <array>
#include <cstddef>
#include <string>

namespace collet::conformance {

/** Holds every value of every element type exactly. */
using Number = long double;

inline constexpr std::array kFloatTypes = {COLLET_TYPE_F16, COLLET_TYPE_BF16, COLLET_TYPE_F32,
                                           COLLET_TYPE_F64};
inline constexpr std::array kIntegerTypes = {COLLET_TYPE_I8,  COLLET_TYPE_U8,  COLLET_TYPE_I16,
                                             COLLET_TYPE_U16, COLLET_TYPE_I32, COLLET_TYPE_U32,
                                             COLLET_TYPE_I64, COLLET_TYPE_U64};

[[nodiscard]] std::size_t size_of(collet_type_t type);
[[nodiscard]] const char* name_of(collet_type_t type);
[[nodiscard]] bool is_float(collet_type_t type);

[[nodiscard]] Number decode(collet_type_t type, const void* element);
/** Writes a value, converted by the rules of the contract. */
void encode(collet_type_t type, Number value, void* element);

/** The value as the type has it: rounded to nearest even, or saturated. */
[[nodiscard]] Number converted(collet_type_t type, Number value);

/** Bits of the significand of a float type, the leading one included. */
[[nodiscard]] int precision_of(collet_type_t type);
/** The distance from a value to the next one of a float type. */
[[nodiscard]] Number spacing(collet_type_t type, Number value);
/** The greatest finite value of a float type. */
[[nodiscard]] Number greatest(collet_type_t type);
/** The least positive value of a float type, a denormal. */
[[nodiscard]] Number least(collet_type_t type);

/** With all its digits. */
[[nodiscard]] std::string number_text(Number value);

/** Equal, or both NaN. */
[[nodiscard]] bool is_same(Number a, Number b);

}  // namespace collet::conformance
