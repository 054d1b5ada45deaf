// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

// Running values side by side, so that a row is not one chain of dependent additions.
constexpr std::int64_t kLanes = 32;

struct Sum {
  template <class T>
  static T of(T running, T x) {
    return running + x;
  }
  static std::int64_t of(std::int64_t running, std::int64_t x) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(running) +
                                     static_cast<std::uint64_t>(x));
  }
};
struct Product {
  template <class T>
  static T of(T running, T x) {
    return running * x;
  }
  static std::int64_t of(std::int64_t running, std::int64_t x) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(running) *
                                     static_cast<std::uint64_t>(x));
  }
};
// Once NaN, the running value fails the comparison and stays.
struct Maximum {
  template <class T>
  static T of(T running, T x) {
    return x > running || x != x ? x : running;
  }
};
struct Minimum {
  template <class T>
  static T of(T running, T x) {
    return x < running || x != x ? x : running;
  }
};

// Sums and products run in the running type; an extreme is one of the elements, in their type.
template <Compute C, class Function>
using LaneType =
    std::conditional_t<std::is_same_v<Function, Sum> || std::is_same_v<Function, Product>,
                       typename ComputeTraits<C>::Running, typename ComputeTraits<C>::Type>;

// Every accumulator already holds a value, if only the neutral one.
template <Compute C, class Function>
void reduce_row(const void* in, std::int64_t n, Accumulator* accumulator) {
  using Value = typename ComputeTraits<C>::Type;
  using Running = typename ComputeTraits<C>::Running;
  using Lane = LaneType<C, Function>;
  const auto* x = static_cast<const Value*>(in);
  Running& result = *values_of<Running>(accumulator);
  std::int64_t i = 0;
  if (n >= 2 * kLanes) {
    Lane lanes[kLanes];
    for (; i < kLanes; ++i) lanes[i] = static_cast<Lane>(x[i]);
    for (; i + kLanes <= n; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = Function::of(lanes[lane], static_cast<Lane>(x[i + lane]));
      }
    }
    for (const Lane lane : lanes) result = Function::of(result, static_cast<Running>(lane));
  }
  for (; i < n; ++i) result = Function::of(result, static_cast<Running>(x[i]));
}

template <Compute C, class Function>
void reduce_columns(const void* in, std::int64_t n, Accumulator* accumulators) {
  using Value = typename ComputeTraits<C>::Type;
  using Running = typename ComputeTraits<C>::Running;
  const auto* x = static_cast<const Value*>(in);
  auto* results = values_of<Running>(accumulators);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) {
    results[i] = Function::of(results[i], static_cast<Running>(x[i]));
  }
}

template <Compute C>
std::int64_t find(const void* in, std::int64_t n, Accumulator value) {
  using Value = typename ComputeTraits<C>::Type;
  using Running = typename ComputeTraits<C>::Running;
  const auto* x = static_cast<const Value*>(in);
  const auto wanted = static_cast<Value>(*values_of<Running>(&value));
  const bool nan = wanted != wanted;
  std::int64_t i = 0;
  while (i < n && !(nan ? x[i] != x[i] : x[i] == wanted)) ++i;
  return i;
}

template <Compute C>
void add_for(Kernels& table) {
  auto& row = table.reduce_row[C];
  row[COLLET_REDUCTION_SUM] = row[COLLET_REDUCTION_MEAN] = reduce_row<C, Sum>;
  row[COLLET_REDUCTION_PRODUCT] = reduce_row<C, Product>;
  row[COLLET_REDUCTION_MAXIMUM] = row[COLLET_REDUCTION_ARGMAX] = reduce_row<C, Maximum>;
  row[COLLET_REDUCTION_MINIMUM] = row[COLLET_REDUCTION_ARGMIN] = reduce_row<C, Minimum>;
  auto& columns = table.reduce_columns[C];
  columns[COLLET_REDUCTION_SUM] = columns[COLLET_REDUCTION_MEAN] = reduce_columns<C, Sum>;
  columns[COLLET_REDUCTION_PRODUCT] = reduce_columns<C, Product>;
  columns[COLLET_REDUCTION_MAXIMUM] = reduce_columns<C, Maximum>;
  columns[COLLET_REDUCTION_MINIMUM] = reduce_columns<C, Minimum>;
  table.find[C] = find<C>;
}

}  // namespace

void add_reduce_kernels(Kernels& table) {
  add_for<kF32>(table);
  add_for<kF64>(table);
  add_for<kI64>(table);
  add_for<kU64>(table);
}

}  // namespace collet::cpu::COLLET_CPU_ISA
