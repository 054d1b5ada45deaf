// SPDX-License-Identifier: Apache-2.0
/**
 * Element types in the slowest and plainest way: one value at a time, as long double, which holds
 * every value of every type exactly.
 */
#pragma once

#include <collet/base.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace collet::test {

/** 64 bits of mantissa or more. */
using Number = long double;

inline const std::vector<collet_type_t> kFloatTypes = {COLLET_TYPE_F16, COLLET_TYPE_BF16,
                                                       COLLET_TYPE_F32, COLLET_TYPE_F64};
inline const std::vector<collet_type_t> kIntegerTypes = {
    COLLET_TYPE_I8,  COLLET_TYPE_U8,  COLLET_TYPE_I16, COLLET_TYPE_U16,
    COLLET_TYPE_I32, COLLET_TYPE_U32, COLLET_TYPE_I64, COLLET_TYPE_U64};
inline const std::vector<collet_type_t> kAllTypes = {
    COLLET_TYPE_BOOL, COLLET_TYPE_I8,  COLLET_TYPE_U8,  COLLET_TYPE_I16, COLLET_TYPE_U16,
    COLLET_TYPE_I32,  COLLET_TYPE_U32, COLLET_TYPE_I64, COLLET_TYPE_U64, COLLET_TYPE_F16,
    COLLET_TYPE_BF16, COLLET_TYPE_F32, COLLET_TYPE_F64};

std::size_t size_of(collet_type_t type);
const char* name_of(collet_type_t type);
bool is_float(collet_type_t type);

/** The value of an element in memory. */
Number decode(collet_type_t type, const void* element);

/** Writes a value that the type has. */
void encode(collet_type_t type, Number value, void* element);

/** What a conversion gives: the rules of the contract. `from_float`: the source type is one. */
Number converted(collet_type_t type, Number value, bool from_float);

/** The nearest value of a float type, ties to even; the value itself for other types. */
Number rounded(collet_type_t type, Number value);

/** Distance of neighbouring values of a float type around a value. */
Number ulp(collet_type_t type, Number value);

/** Half of the distance of 1 and its successor: the bound of one rounding, relative. */
Number unit_roundoff(collet_type_t type);

bool same(Number a, Number b);

/** Reproducible numbers in [-1, 1], with 24 bits. */
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  Number next();
  /** In [0, end). */
  std::int64_t below(std::int64_t end);

 private:
  std::uint64_t state_;
};

}  // namespace collet::test
