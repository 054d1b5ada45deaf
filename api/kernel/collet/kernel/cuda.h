/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The portable kernel language as CUDA C++, by NVRTC or nvcc, with --fmad=false.
 *
 * For each kernel the module has a variable `collet_signature_of_<name>`: the number of arguments,
 * and for each its kind (collet_argument_kind_t) in the lower and its size in the upper 16 bits. A
 * LOCAL argument is a 32-bit number of bytes: where its memory begins in the dynamic shared memory
 * of the launch, a multiple of 64.
 */
#ifndef COLLET_KERNEL_CUDA_H
#define COLLET_KERNEL_CUDA_H

#ifdef __FAST_MATH__
#error "collet-c means what it says: leave out --use_fast_math"
#endif

typedef signed char collet_int8_t;
typedef short collet_int16_t;
typedef int collet_int32_t;
typedef long long collet_int64_t;
typedef unsigned char collet_uint8_t;
typedef unsigned short collet_uint16_t;
typedef unsigned int collet_uint32_t;
typedef unsigned long long collet_uint64_t;

namespace collet_cuda {

/** Local memory whose size the launch gives. */
template <class T>
struct LocalArgument {
  collet_uint32_t offset_bytes;
  __device__ __forceinline__ operator T *() const {
    extern __shared__ __align__(64) unsigned char collet_shared_memory[];
    return reinterpret_cast<T *>(collet_shared_memory + offset_bytes);
  }
};

template <class T>
struct Argument {
  static constexpr collet_uint32_t kValue = 2U | static_cast<collet_uint32_t>(sizeof(T)) << 16;
};
template <class T>
struct Argument<T *> {
  static constexpr collet_uint32_t kValue = 1U;
};
template <class T>
struct Argument<LocalArgument<T>> {
  static constexpr collet_uint32_t kValue = 3U;
};

template <class Function>
struct Signature;
template <class... Arguments>
struct Signature<void(Arguments...)> {
  collet_uint32_t count = sizeof...(Arguments);
  collet_uint32_t arguments[sizeof...(Arguments)] = {Argument<Arguments>::kValue...};
};

}  // namespace collet_cuda

#define COLLET_CUDA_KERNEL(bounds, name, ...)                                   \
  extern "C" __global__ void bounds name(__VA_ARGS__);                          \
  extern "C" {                                                                  \
  __device__ collet_cuda::Signature<decltype(name)> collet_signature_of_##name; \
  }                                                                             \
  extern "C" __global__ void bounds name(__VA_ARGS__)
#define COLLET_KERNEL(name, ...) COLLET_CUDA_KERNEL(, name, __VA_ARGS__)
#define COLLET_KERNEL_SIZED(name, x, y, z, ...) \
  COLLET_CUDA_KERNEL(__launch_bounds__((x) * (y) * (z)), name, __VA_ARGS__)

#define COLLET_GLOBAL(type) type *
#define COLLET_LOCAL(type) type *
#define COLLET_IN(type) const type *__restrict__
#define COLLET_OUT(type) type *__restrict__
#define COLLET_LOCAL_ARGUMENT(type) const collet_cuda::LocalArgument<type>
#define COLLET_LOCAL_ARRAY(type, name, dimensions) __shared__ __align__(64) type name dimensions
#define COLLET_FUNCTION __device__ __forceinline__
#define COLLET_CONSTANT static __constant__ const
#define COLLET_UNROLL _Pragma("unroll")

#define COLLET_CUDA_AXIS(axis, vector) \
  ((axis) == 0 ? (vector).x : (axis) == 1 ? (vector).y : (vector).z)
#define COLLET_LOCAL_ID(axis) static_cast<int>(COLLET_CUDA_AXIS(axis, threadIdx))
#define COLLET_LOCAL_INDEX collet_work_item_index()
#define COLLET_LOCAL_SIZE(axis) static_cast<int>(COLLET_CUDA_AXIS(axis, blockDim))
#define COLLET_GROUP_ID(axis) static_cast<size_t>(COLLET_CUDA_AXIS(axis, blockIdx))
#define COLLET_GROUP_COUNT(axis) static_cast<size_t>(COLLET_CUDA_AXIS(axis, gridDim))
#define COLLET_GLOBAL_ID(axis)                                            \
  (COLLET_GROUP_ID(axis) * static_cast<size_t>(COLLET_LOCAL_SIZE(axis)) + \
   static_cast<size_t>(COLLET_LOCAL_ID(axis)))
#define COLLET_GLOBAL_SIZE(axis) \
  (COLLET_GROUP_COUNT(axis) * static_cast<size_t>(COLLET_LOCAL_SIZE(axis)))
#define COLLET_BARRIER __syncthreads()

/* Along x, then y, then z. */
COLLET_FUNCTION int collet_work_item_index() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
COLLET_FUNCTION size_t collet_work_items() {
  return static_cast<size_t>(blockDim.x) * blockDim.y * blockDim.z;
}
COLLET_FUNCTION size_t collet_grid_items() {
  return static_cast<size_t>(gridDim.x) * gridDim.y * gridDim.z * collet_work_items();
}
COLLET_FUNCTION size_t collet_grid_index() {
  const size_t group =
      (static_cast<size_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return group * collet_work_items() + static_cast<size_t>(collet_work_item_index());
}

#include <collet/kernel/items.h>

/* ---- numbers --------------------------------------------------------------------------------- */
COLLET_FUNCTION collet_uint32_t collet_float_bits(float value) { return __float_as_uint(value); }
COLLET_FUNCTION float collet_bits_float(collet_uint32_t bits) { return __uint_as_float(bits); }

#include <collet/kernel/numbers.h>

#define COLLET_CUDA_FUNCTION(name) \
  COLLET_FUNCTION float collet_##name(float value) { return name##f(value); }
COLLET_CUDA_FUNCTION(sqrt)
COLLET_CUDA_FUNCTION(exp)
COLLET_CUDA_FUNCTION(log)
COLLET_CUDA_FUNCTION(sin)
COLLET_CUDA_FUNCTION(cos)
COLLET_CUDA_FUNCTION(tanh)
COLLET_CUDA_FUNCTION(erf)
COLLET_CUDA_FUNCTION(floor)
COLLET_CUDA_FUNCTION(ceil)
COLLET_CUDA_FUNCTION(trunc)
COLLET_CUDA_FUNCTION(rint)
COLLET_FUNCTION float collet_fabs(float value) { return fabsf(value); }
COLLET_FUNCTION float collet_pow(float base, float exponent) { return powf(base, exponent); }
COLLET_FUNCTION float collet_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }

/* ---- atomics --------------------------------------------------------------------------------- */
#define COLLET_CUDA_ATOMIC(type, name, function) \
  COLLET_FUNCTION type collet_atomic_##name(type *at, type value) { return function(at, value); }
#define COLLET_CUDA_INTEGER_ATOMICS(type)                                                    \
  COLLET_CUDA_ATOMIC(type, add, atomicAdd)                                                   \
  COLLET_CUDA_ATOMIC(type, min, atomicMin)                                                   \
  COLLET_CUDA_ATOMIC(type, max, atomicMax)                                                   \
  COLLET_CUDA_ATOMIC(type, exchange, atomicExch)                                             \
  COLLET_FUNCTION type collet_atomic_compare_exchange(type *at, type expected, type value) { \
    return atomicCAS(at, expected, value);                                                   \
  }
COLLET_CUDA_INTEGER_ATOMICS(int)
COLLET_CUDA_INTEGER_ATOMICS(unsigned int)
COLLET_CUDA_ATOMIC(float, add, atomicAdd)
COLLET_CUDA_ATOMIC(float, exchange, atomicExch)
/* There are none for the order of floats. */
#define COLLET_CUDA_FLOAT_ATOMIC(name)                                    \
  COLLET_FUNCTION float collet_atomic_##name(float *at, float value) {    \
    unsigned int *bits = reinterpret_cast<unsigned int *>(at);            \
    unsigned int seen = *reinterpret_cast<volatile unsigned int *>(at);   \
    unsigned int before;                                                  \
    do {                                                                  \
      before = seen;                                                      \
      const float wanted = collet_##name(__uint_as_float(before), value); \
      seen = atomicCAS(bits, before, __float_as_uint(wanted));            \
    } while (seen != before);                                             \
    return __uint_as_float(before);                                       \
  }
COLLET_CUDA_FLOAT_ATOMIC(min)
COLLET_CUDA_FLOAT_ATOMIC(max)

/* ---- vectors --------------------------------------------------------------------------------- */
namespace collet_cuda {

template <class T, int N>
struct __align__(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vector {
  T lanes[N];

  __device__ __forceinline__ T &operator[](int lane) { return lanes[lane]; }
  __device__ __forceinline__ const T &operator[](int lane) const { return lanes[lane]; }
};

#define COLLET_CUDA_OPERATOR(sign)                                                          \
  template <class T, int N>                                                                 \
  __device__ __forceinline__ Vector<T, N> operator sign(const Vector<T, N> &a,              \
                                                        const Vector<T, N> &b) {            \
    Vector<T, N> result;                                                                    \
    COLLET_UNROLL for (int i = 0; i < N; ++i) result.lanes[i] = a.lanes[i] sign b.lanes[i]; \
    return result;                                                                          \
  }                                                                                         \
  template <class T, int N>                                                                 \
  __device__ __forceinline__ Vector<T, N> operator sign(const Vector<T, N> &a, T b) {       \
    Vector<T, N> result;                                                                    \
    COLLET_UNROLL for (int i = 0; i < N; ++i) result.lanes[i] = a.lanes[i] sign b;          \
    return result;                                                                          \
  }                                                                                         \
  template <class T, int N>                                                                 \
  __device__ __forceinline__ Vector<T, N> operator sign(T a, const Vector<T, N> &b) {       \
    Vector<T, N> result;                                                                    \
    COLLET_UNROLL for (int i = 0; i < N; ++i) result.lanes[i] = a sign b.lanes[i];          \
    return result;                                                                          \
  }
COLLET_CUDA_OPERATOR(+)
COLLET_CUDA_OPERATOR(-)
COLLET_CUDA_OPERATOR(*)
COLLET_CUDA_OPERATOR(/)

}  // namespace collet_cuda

#define COLLET_CUDA_VECTOR(type, word, n)                                                   \
  typedef collet_cuda::Vector<type, n> collet_##word##_x##n##_t;                            \
  COLLET_FUNCTION collet_##word##_x##n##_t collet_load##n(const type *from) {               \
    return *reinterpret_cast<const collet_##word##_x##n##_t *>(from);                       \
  }                                                                                         \
  COLLET_FUNCTION collet_##word##_x##n##_t collet_load##n##_unaligned(const type *from) {   \
    collet_##word##_x##n##_t value;                                                         \
    COLLET_UNROLL for (int i = 0; i < n; ++i) value.lanes[i] = from[i];                     \
    return value;                                                                           \
  }                                                                                         \
  COLLET_FUNCTION void collet_store##n(type *to, const collet_##word##_x##n##_t &value) {   \
    *reinterpret_cast<collet_##word##_x##n##_t *>(to) = value;                              \
  }                                                                                         \
  COLLET_FUNCTION void collet_store##n##_unaligned(type *to,                                \
                                                   const collet_##word##_x##n##_t &value) { \
    COLLET_UNROLL for (int i = 0; i < n; ++i) to[i] = value.lanes[i];                       \
  }
#define COLLET_CUDA_VECTORS(type, word) \
  COLLET_CUDA_VECTOR(type, word, 2)     \
  COLLET_CUDA_VECTOR(type, word, 4)     \
  COLLET_CUDA_VECTOR(type, word, 8)     \
  COLLET_CUDA_VECTOR(type, word, 16)
COLLET_CUDA_VECTORS(float, float)
COLLET_CUDA_VECTORS(int, int32)
COLLET_CUDA_VECTORS(unsigned int, uint32)

#endif
