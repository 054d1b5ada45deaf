// SPDX-License-Identifier: Apache-2.0
//
// The loops that touch elements. They work on short runs of one of four *compute types*; loads and
// stores convert between these and the element types of a tensor, so that no operation has to know
// all thirteen of them.
//
// The files of this folder are compiled once per instruction set, each time into a namespace of its
// own; kernels() gives the best set that the processor runs. A result has the same bits in every
// set: contraction is off, and lanes are combined in a fixed order.
#pragma once

#include <collet/ops.h>

#include <cstdint>

namespace collet::cpu {

enum Compute : std::uint32_t { kF32, kF64, kI64, kU64, kComputeCount };

constexpr std::uint32_t kTypeCount = COLLET_TYPE_F64 + 1;
constexpr std::uint32_t kUnaryCount = COLLET_UNARY_GELU + 1;
constexpr std::uint32_t kBinaryCount = COLLET_BINARY_GREATER_EQUAL + 1;
constexpr std::uint32_t kReductionCount = COLLET_REDUCTION_ARGMIN + 1;

// Longest run that is converted at once: three buffers of it stay in the first cache.
constexpr std::int64_t kChunk = 512;

// Type of a running reduction over compute type F32 is f64; elsewhere it is the compute type.
union Accumulator {
  double f;
  std::int64_t i;
  std::uint64_t u;
};

// Tables are indexed by compute type, then by element type or function; NULL where the combination
// does not exist. Strides count elements. In and out may be the same memory.
struct Kernels {
  // out[i] = (compute type) in[i * stride]
  using Load = void (*)(const void* in, std::int64_t stride, std::int64_t n, void* out);
  // out[i * stride] = (element type) in[i]: saturates floats, wraps integers.
  using Store = void (*)(const void* in, std::int64_t n, void* out, std::int64_t stride);
  using Unary = void (*)(const void* in, void* out, std::int64_t n);
  using Binary = void (*)(const void* a, const void* b, void* out, std::int64_t n);
  // Combines all elements into one accumulator.
  using ReduceRow = void (*)(const void* in, std::int64_t n, Accumulator* accumulator);
  // Combines in[i] into accumulators[i].
  using ReduceColumns = void (*)(const void* in, std::int64_t n, Accumulator* accumulators);
  // Index of the first element that equals `value`, or that is NaN if `value` is; n if none.
  using Find = std::int64_t (*)(const void* in, std::int64_t n, Accumulator value);

  Load load[kComputeCount][kTypeCount];
  Store store[kComputeCount][kTypeCount];
  Unary unary[kComputeCount][kUnaryCount];
  Binary binary[kComputeCount][kBinaryCount];
  ReduceRow reduce_row[kComputeCount][kReductionCount];
  ReduceColumns reduce_columns[kComputeCount][kReductionCount];
  Find find[kComputeCount];

  // Softmax, for F32 and F64: out[i] = exp(in[i] - max); returns the sum of them.
  double (*exp_row[kComputeCount])(const void* in, std::int64_t n, double max, void* out);
  // The same with a maximum per element; sums[i] += out[i].
  void (*exp_columns[kComputeCount])(const void* in, std::int64_t n, const Accumulator* max,
                                     Accumulator* sums, void* out);
  // out[i] = in[i] * factor;  out[i] = (in[i] - max) - log_sum
  void (*scale_row[kComputeCount])(const void* in, std::int64_t n, double factor, void* out);
  void (*shift_row[kComputeCount])(const void* in, std::int64_t n, double max, double log_sum,
                                   void* out);
  void (*scale_columns[kComputeCount])(const void* in, std::int64_t n, const Accumulator* factors,
                                       void* out);
  void (*shift_columns[kComputeCount])(const void* in, std::int64_t n, const Accumulator* max,
                                       const Accumulator* log_sums, void* out);

  // C[m][n] += A[m][k] * B[k][n] in f64.
  struct InputMatrix {
    const double* data;
    std::int64_t row_stride;
    std::int64_t column_stride;
  };
  // Contiguous along columns.
  template <class T>
  struct RowMajor {
    T* data;
    std::int64_t row_stride;
  };
  struct ProductSize {
    std::int64_t m;
    std::int64_t n;
    std::int64_t k;
  };
  void (*multiply_f64)(const InputMatrix& a, const RowMajor<const double>& b,
                       const RowMajor<double>& c, const ProductSize& size);
};

const Kernels& kernels();

}  // namespace collet::cpu
