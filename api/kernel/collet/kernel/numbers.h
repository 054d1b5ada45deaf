/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Numbers that are the same bits on every target. Included by the targets' headers, which say what
 * a function is, and how the bits of a float are read.
 */
#ifndef COLLET_KERNEL_NUMBERS_H
#define COLLET_KERNEL_NUMBERS_H

/** IEEE 754 binary16, and the upper half of a float: to store, not to calculate with. */
typedef struct collet_half_t {
  collet_uint16_t bits;
} collet_half_t;
typedef struct collet_bfloat16_t {
  collet_uint16_t bits;
} collet_bfloat16_t;

/* Selections and no branches, so that loops over them vectorise. */

/** Exact; the bits of a NaN move along. */
COLLET_FUNCTION float collet_half_to_float(collet_half_t value) {
  const collet_uint32_t sign = ((collet_uint32_t)value.bits & 0x8000U) << 16;
  const collet_uint32_t moved = ((collet_uint32_t)value.bits & 0x7fffU) << 13;
  /* The exponents' biases differ by 112. */
  const collet_uint32_t normal = moved + 0x38000000U;
  const collet_uint32_t infinite = moved + 0x70000000U;
  /* 2^-14 is added as a bit of the exponent and taken off again, which normalises the rest. */
  const collet_uint32_t subnormal =
      collet_float_bits(collet_bits_float(moved + 0x38800000U) - collet_bits_float(0x38800000U));
  const collet_uint32_t finite = moved < 0x00800000U ? subnormal : normal;
  return collet_bits_float(sign | (moved >= 0x0f800000U ? infinite : finite));
}

/** Rounds to nearest, ties to even; 65520 and more become infinite; a NaN becomes a quiet one. */
COLLET_FUNCTION collet_half_t collet_float_to_half(float value) {
  const collet_uint32_t bits = collet_float_bits(value);
  const collet_uint32_t magnitude = bits & 0x7fffffffU;
  const collet_uint32_t rounded = magnitude + 0x0fffU + ((magnitude >> 13) & 1U);
  const collet_uint32_t normal = (rounded - 0x38000000U) >> 13;
  /* Beside 0.5 the last bit of a float is that of a subnormal half, so that the sum is rounded. */
  const collet_uint32_t subnormal =
      collet_float_bits(collet_bits_float(magnitude) + 0.5f) - 0x3f000000U;
  const collet_uint32_t nan = 0x7e00U | ((magnitude >> 13) & 0x01ffU);
  const collet_uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;
  const collet_uint32_t special = magnitude > 0x7f800000U ? nan : 0x7c00U;
  collet_half_t half_value;
  half_value.bits =
      (collet_uint16_t)(((bits >> 16) & 0x8000U) | (magnitude >= 0x477ff000U ? special : finite));
  return half_value;
}

/** Exact; the bits of a NaN move along. */
COLLET_FUNCTION float collet_bfloat16_to_float(collet_bfloat16_t value) {
  return collet_bits_float((collet_uint32_t)value.bits << 16);
}

/** Rounds to nearest, ties to even; a NaN becomes a quiet one. */
COLLET_FUNCTION collet_bfloat16_t collet_float_to_bfloat16(float value) {
  const collet_uint32_t bits = collet_float_bits(value);
  const collet_uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
  const collet_uint32_t nan = bits | 0x00400000U;
  collet_bfloat16_t bfloat16;
  bfloat16.bits = (collet_uint16_t)(((bits & 0x7fffffffU) > 0x7f800000U ? nan : rounded) >> 16);
  return bfloat16;
}

/** By its bits, so that no compiler knows better. */
COLLET_FUNCTION int collet_is_nan(float value) {
  return (collet_float_bits(value) & 0x7fffffffU) > 0x7f800000U;
}

/** The smaller one; NaN if one of them is. */
COLLET_FUNCTION float collet_min(float a, float b) {
  return collet_is_nan(a) ? a : (b < a || collet_is_nan(b)) ? b : a;
}

/** The larger one; NaN if one of them is. */
COLLET_FUNCTION float collet_max(float a, float b) {
  return collet_is_nan(a) ? a : (b > a || collet_is_nan(b)) ? b : a;
}

#endif
