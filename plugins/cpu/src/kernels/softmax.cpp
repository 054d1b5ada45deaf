// SPDX-License-Identifier: Apache-2.0
#include "math.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

constexpr std::int64_t kLanes = 16;

template <Compute C>
double exp_row(const void* in, std::int64_t n, double max, void* out) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  auto* y = static_cast<Value*>(out);
  const auto top = static_cast<Value>(max);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) y[i] = exponential(x[i] - top);
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(y[i + lane]);
  }
  double sum = 0;
  for (; i < n; ++i) sum += static_cast<double>(y[i]);
  for (const double lane : lanes) sum += lane;
  return sum;
}

template <Compute C>
void exp_columns(const void* in, std::int64_t n, const Accumulator* max, Accumulator* sums,
                 void* out) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  const auto* top = values_of<double>(max);
  auto* sum = values_of<double>(sums);
  auto* y = static_cast<Value*>(out);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = exponential(x[i] - static_cast<Value>(top[i]));
    sum[i] += static_cast<double>(y[i]);
  }
}

template <Compute C>
void scale_row(const void* in, std::int64_t n, double factor, void* out) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  auto* y = static_cast<Value*>(out);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = static_cast<Value>(static_cast<double>(x[i]) * factor);
}

// One after the other: of a large maximum and a small logarithm nothing is lost.
template <Compute C>
void shift_row(const void* in, std::int64_t n, double max, double log_sum, void* out) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  auto* y = static_cast<Value*>(out);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = static_cast<Value>((static_cast<double>(x[i]) - max) - log_sum);
}

template <Compute C>
void scale_columns(const void* in, std::int64_t n, const Accumulator* factors, void* out) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  auto* y = static_cast<Value*>(out);
  const auto* factor = values_of<double>(factors);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<Value>(static_cast<double>(x[i]) * factor[i]);
  }
}

template <Compute C>
void shift_columns(const void* in, std::int64_t n, const Accumulator* max,
                   const Accumulator* log_sums, void* out) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  auto* y = static_cast<Value*>(out);
  const auto* top = values_of<double>(max);
  const auto* log_sum = values_of<double>(log_sums);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<Value>((static_cast<double>(x[i]) - top[i]) - log_sum[i]);
  }
}

template <Compute C>
void add_for(Kernels& table) {
  table.exp_row[C] = exp_row<C>;
  table.exp_columns[C] = exp_columns<C>;
  table.scale_row[C] = scale_row<C>;
  table.shift_row[C] = shift_row<C>;
  table.scale_columns[C] = scale_columns<C>;
  table.shift_columns[C] = shift_columns<C>;
}

}  // namespace

void add_softmax_kernels(Kernels& table) {
  add_for<kF32>(table);
  add_for<kF64>(table);
}

}  // namespace collet::cpu::COLLET_CPU_ISA
