/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The portable kernel language as OpenCL C, 1.2 and up.
 *
 * With COLLET_KERNEL_OPENCL_LOOPS defined, for devices that are processors, kernels of a fixed size
 * run with one work-item for each group, which loops over the items; collet/kernel/loops.h tells
 * how they are launched.
 */
#ifndef COLLET_KERNEL_OPENCL_H
#define COLLET_KERNEL_OPENCL_H

#ifdef __FAST_RELAXED_MATH__
#error "collet-c means what it says: leave out -cl-fast-relaxed-math"
#endif
#pragma OPENCL FP_CONTRACT OFF

typedef char collet_int8_t;
typedef short collet_int16_t;
typedef int collet_int32_t;
typedef long collet_int64_t;
typedef uchar collet_uint8_t;
typedef ushort collet_uint16_t;
typedef uint collet_uint32_t;
typedef ulong collet_uint64_t;

#define COLLET_GLOBAL(type) __global type *
#define COLLET_LOCAL(type) __local type *
#define COLLET_IN(type) __global const type *restrict
#define COLLET_OUT(type) __global type *restrict
#define COLLET_LOCAL_ARGUMENT(type) __local type *restrict
#define COLLET_LOCAL_ARRAY(type, name, dimensions) __local type name dimensions
#define COLLET_FUNCTION static inline __attribute__((unused))
#define COLLET_CONSTANT __constant
#define COLLET_UNROLL _Pragma("unroll")

#define COLLET_GROUP_ID(axis) get_group_id(axis)
#define COLLET_GROUP_COUNT(axis) get_num_groups(axis)

/* Along x, then y, then z. */
COLLET_FUNCTION int collet_work_item_index(void) {
  return (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
               get_local_id(0));
}
COLLET_FUNCTION size_t collet_work_items(void) {
  return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
COLLET_FUNCTION size_t collet_groups(void) {
  return get_num_groups(0) * get_num_groups(1) * get_num_groups(2);
}
COLLET_FUNCTION size_t collet_group_index(void) {
  return (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
         get_group_id(0);
}
COLLET_FUNCTION size_t collet_grid_index(void) {
  return collet_group_index() * collet_work_items() + (size_t)collet_work_item_index();
}
COLLET_FUNCTION size_t collet_grid_items(void) { return collet_groups() * collet_work_items(); }

#ifdef COLLET_KERNEL_OPENCL_LOOPS
#include <collet/kernel/loops.h>
#else
#include <collet/kernel/items.h>

#define COLLET_KERNEL(name, ...) __kernel void name(__VA_ARGS__)
#define COLLET_KERNEL_SIZED(name, x, y, z, ...) \
  __kernel __attribute__((reqd_work_group_size(x, y, z))) void name(__VA_ARGS__)
#define COLLET_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define COLLET_LOCAL_ID(axis) ((int)get_local_id(axis))
#define COLLET_LOCAL_INDEX collet_work_item_index()
#define COLLET_LOCAL_SIZE(axis) ((int)get_local_size(axis))
#define COLLET_GLOBAL_ID(axis) get_global_id(axis)
#define COLLET_GLOBAL_SIZE(axis) get_global_size(axis)
#endif

/* ---- numbers --------------------------------------------------------------------------------- */
COLLET_FUNCTION collet_uint32_t collet_float_bits(float value) { return as_uint(value); }
COLLET_FUNCTION float collet_bits_float(collet_uint32_t bits) { return as_float(bits); }

#include <collet/kernel/numbers.h>

#define COLLET_OPENCL_FUNCTION(name) \
  COLLET_FUNCTION float collet_##name(float value) { return name(value); }
COLLET_OPENCL_FUNCTION(sqrt)
COLLET_OPENCL_FUNCTION(exp)
COLLET_OPENCL_FUNCTION(log)
COLLET_OPENCL_FUNCTION(sin)
COLLET_OPENCL_FUNCTION(cos)
COLLET_OPENCL_FUNCTION(tanh)
COLLET_OPENCL_FUNCTION(erf)
COLLET_OPENCL_FUNCTION(floor)
COLLET_OPENCL_FUNCTION(ceil)
COLLET_OPENCL_FUNCTION(trunc)
COLLET_OPENCL_FUNCTION(rint)
COLLET_OPENCL_FUNCTION(fabs)
COLLET_FUNCTION float collet_pow(float base, float exponent) { return pow(base, exponent); }
COLLET_FUNCTION float collet_fma(float a, float b, float c) { return fma(a, b, c); }

/* ---- atomics --------------------------------------------------------------------------------- */
#define COLLET_OPENCL_OVERLOAD __attribute__((overloadable)) COLLET_FUNCTION
#define COLLET_OPENCL_ATOMIC(space, type, name, function)                                 \
  COLLET_OPENCL_OVERLOAD type collet_atomic_##name(volatile space type *at, type value) { \
    return function(at, value);                                                           \
  }
#define COLLET_OPENCL_INTEGER_ATOMICS(space, type)                                        \
  COLLET_OPENCL_ATOMIC(space, type, add, atomic_add)                                      \
  COLLET_OPENCL_ATOMIC(space, type, min, atomic_min)                                      \
  COLLET_OPENCL_ATOMIC(space, type, max, atomic_max)                                      \
  COLLET_OPENCL_ATOMIC(space, type, exchange, atomic_xchg)                                \
  COLLET_OPENCL_OVERLOAD type collet_atomic_compare_exchange(volatile space type *at,     \
                                                             type expected, type value) { \
    return atomic_cmpxchg(at, expected, value);                                           \
  }
/* There are none for floats before 3.0, and there only by extensions. */
#define COLLET_OPENCL_FLOAT_ATOMIC(space, name, expression)                                  \
  COLLET_OPENCL_OVERLOAD float collet_atomic_##name(volatile space float *at, float value) { \
    volatile space uint *bits = (volatile space uint *)at;                                   \
    uint seen = atomic_or(bits, 0U);                                                         \
    uint before;                                                                             \
    do {                                                                                     \
      before = seen;                                                                         \
      const float old = as_float(before);                                                    \
      seen = atomic_cmpxchg(bits, before, as_uint(expression));                              \
    } while (seen != before);                                                                \
    return as_float(before);                                                                 \
  }
#define COLLET_OPENCL_ATOMICS(space)                                                           \
  COLLET_OPENCL_INTEGER_ATOMICS(space, int)                                                    \
  COLLET_OPENCL_INTEGER_ATOMICS(space, uint)                                                   \
  COLLET_OPENCL_FLOAT_ATOMIC(space, add, old + value)                                          \
  COLLET_OPENCL_FLOAT_ATOMIC(space, min, collet_min(old, value))                               \
  COLLET_OPENCL_FLOAT_ATOMIC(space, max, collet_max(old, value))                               \
  COLLET_OPENCL_OVERLOAD float collet_atomic_exchange(volatile space float *at, float value) { \
    return as_float(atomic_xchg((volatile space uint *)at, as_uint(value)));                   \
  }
COLLET_OPENCL_ATOMICS(__global)
COLLET_OPENCL_ATOMICS(__local)

/* ---- vectors --------------------------------------------------------------------------------- */
#define COLLET_OPENCL_MEMORY(space, type, n)                                               \
  COLLET_OPENCL_OVERLOAD type##n collet_load##n(const space type *from) {                  \
    return *(const space type##n *)from;                                                   \
  }                                                                                        \
  COLLET_OPENCL_OVERLOAD type##n collet_load##n##_unaligned(const space type *from) {      \
    return vload##n(0, from);                                                              \
  }                                                                                        \
  COLLET_OPENCL_OVERLOAD void collet_store##n(space type *to, type##n value) {             \
    *(space type##n *)to = value;                                                          \
  }                                                                                        \
  COLLET_OPENCL_OVERLOAD void collet_store##n##_unaligned(space type *to, type##n value) { \
    vstore##n(value, 0, to);                                                               \
  }
#define COLLET_OPENCL_VECTOR(type, word, n) \
  typedef type##n collet_##word##_x##n##_t; \
  COLLET_OPENCL_MEMORY(__global, type, n)   \
  COLLET_OPENCL_MEMORY(__local, type, n)
#define COLLET_OPENCL_VECTORS(type, word) \
  COLLET_OPENCL_VECTOR(type, word, 2)     \
  COLLET_OPENCL_VECTOR(type, word, 4)     \
  COLLET_OPENCL_VECTOR(type, word, 8)     \
  COLLET_OPENCL_VECTOR(type, word, 16)
COLLET_OPENCL_VECTORS(float, float)
COLLET_OPENCL_VECTORS(int, int32)
COLLET_OPENCL_VECTORS(uint, uint32)

#endif
