/* SPDX-License-Identifier: Apache-2.0 */
/** Functions of numbers, atomics and vectors of the kernel language on the host. */
#ifndef COLLET_KERNEL_HOST_NUMBERS_H
#define COLLET_KERNEL_HOST_NUMBERS_H

/* ---- numbers --------------------------------------------------------------------------------- */
COLLET_FUNCTION collet_uint32_t collet_float_bits(float value) {
  collet_uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
COLLET_FUNCTION float collet_bits_float(collet_uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

#include <collet/kernel/numbers.h>

#define COLLET_HOST_FUNCTION(name) \
  COLLET_FUNCTION float collet_##name(float value) { return __builtin_##name##f(value); }
COLLET_HOST_FUNCTION(sqrt)
COLLET_HOST_FUNCTION(exp)
COLLET_HOST_FUNCTION(log)
COLLET_HOST_FUNCTION(sin)
COLLET_HOST_FUNCTION(cos)
COLLET_HOST_FUNCTION(tanh)
COLLET_HOST_FUNCTION(erf)
COLLET_HOST_FUNCTION(floor)
COLLET_HOST_FUNCTION(ceil)
COLLET_HOST_FUNCTION(trunc)
COLLET_HOST_FUNCTION(rint)
COLLET_HOST_FUNCTION(fabs)
COLLET_FUNCTION float collet_pow(float base, float exponent) {
  return __builtin_powf(base, exponent);
}
COLLET_FUNCTION float collet_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/* ---- atomics: groups run at the same time on several threads --------------------------------- */
namespace collet::host_kernel {

/** Replaces a value by what `next` makes of it; gives the value before. */
template <class T, class Next>
T update(T *at, Next next) {
  T before;
  T after;
  __atomic_load(at, &before, __ATOMIC_RELAXED);
  do {
    after = next(before);
  } while (
      !__atomic_compare_exchange(at, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}

template <class T>
T exchange(T *at, T value) {
  T before;
  __atomic_exchange(at, &value, &before, __ATOMIC_RELAXED);
  return before;
}

}  // namespace collet::host_kernel

#define COLLET_HOST_UPDATE(type, name, expression)                                      \
  COLLET_FUNCTION type collet_atomic_##name(type *at, type value) {                     \
    return collet::host_kernel::update(at, [value](type old) { return (expression); }); \
  }
#define COLLET_HOST_INTEGER_ATOMICS(type)                                                        \
  COLLET_FUNCTION type collet_atomic_add(type *at, type value) {                                 \
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);                                      \
  }                                                                                              \
  COLLET_HOST_UPDATE(type, min, value < old ? value : old)                                       \
  COLLET_HOST_UPDATE(type, max, value > old ? value : old)                                       \
  COLLET_FUNCTION type collet_atomic_exchange(type *at, type value) {                            \
    return collet::host_kernel::exchange(at, value);                                             \
  }                                                                                              \
  COLLET_FUNCTION type collet_atomic_compare_exchange(type *at, type expected, type value) {     \
    __atomic_compare_exchange(at, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                             \
  }
COLLET_HOST_INTEGER_ATOMICS(collet_int32_t)
COLLET_HOST_INTEGER_ATOMICS(collet_uint32_t)
COLLET_HOST_UPDATE(float, add, old + value)
COLLET_HOST_UPDATE(float, min, collet_min(old, value))
COLLET_HOST_UPDATE(float, max, collet_max(old, value))
COLLET_FUNCTION float collet_atomic_exchange(float *at, float value) {
  return collet::host_kernel::exchange(at, value);
}

/* ---- vectors --------------------------------------------------------------------------------- */
/* How wide ones are passed depends on the processor; all functions that do so are inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define COLLET_HOST_VECTOR_FUNCTION COLLET_FUNCTION __attribute__((always_inline))
#define COLLET_HOST_VECTOR(type, word, n)                                                        \
  typedef type collet_##word##_x##n##_t __attribute__((vector_size(sizeof(type) * n)));          \
  COLLET_HOST_VECTOR_FUNCTION collet_##word##_x##n##_t collet_load##n(const type *from) {        \
    collet_##word##_x##n##_t value;                                                              \
    memcpy(&value, __builtin_assume_aligned(from, sizeof(value)), sizeof(value));                \
    return value;                                                                                \
  }                                                                                              \
  COLLET_HOST_VECTOR_FUNCTION collet_##word##_x##n##_t collet_load##n##_unaligned(               \
      const type *from) {                                                                        \
    collet_##word##_x##n##_t value;                                                              \
    memcpy(&value, from, sizeof(value));                                                         \
    return value;                                                                                \
  }                                                                                              \
  COLLET_HOST_VECTOR_FUNCTION void collet_store##n(type *to, collet_##word##_x##n##_t value) {   \
    memcpy(__builtin_assume_aligned(to, sizeof(value)), &value, sizeof(value));                  \
  }                                                                                              \
  COLLET_HOST_VECTOR_FUNCTION void collet_store##n##_unaligned(type *to,                         \
                                                               collet_##word##_x##n##_t value) { \
    memcpy(to, &value, sizeof(value));                                                           \
  }
#define COLLET_HOST_VECTORS(type, word) \
  COLLET_HOST_VECTOR(type, word, 2)     \
  COLLET_HOST_VECTOR(type, word, 4)     \
  COLLET_HOST_VECTOR(type, word, 8)     \
  COLLET_HOST_VECTOR(type, word, 16)
COLLET_HOST_VECTORS(float, float)
COLLET_HOST_VECTORS(collet_int32_t, int32)
COLLET_HOST_VECTORS(collet_uint32_t, uint32)

#endif
