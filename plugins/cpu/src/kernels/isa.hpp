// SPDX-License-Identifier: Apache-2.0
//
// For the files that are compiled once per instruction set. All that they define lies in namespace
// collet::cpu::COLLET_CPU_ISA or has internal linkage: an inline function shared with the rest of
// the plugin could be kept by the linker in the copy that the processor cannot run. For the same
// reason they use nothing from the standard library but types and constants.
#pragma once

#include "kernels.hpp"

#ifndef COLLET_CPU_ISA
#error "COLLET_CPU_ISA names the namespace of this instruction set"
#endif

// The next loop has no dependences between iterations but those of in-place use.
#if defined(__clang__)
#define COLLET_CPU_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define COLLET_CPU_VECTOR _Pragma("GCC ivdep")
#endif

namespace collet::cpu::COLLET_CPU_ISA {

void add_convert_kernels(Kernels& table);
void add_unary_kernels(Kernels& table);
void add_binary_kernels(Kernels& table);
void add_reduce_kernels(Kernels& table);
void add_softmax_kernels(Kernels& table);
void add_matmul_kernels(Kernels& table);

template <Compute C>
struct ComputeTraits;
template <>
struct ComputeTraits<kF32> {
  using Type = float;
  using Running = double;
};
template <>
struct ComputeTraits<kF64> {
  using Type = double;
  using Running = double;
};
template <>
struct ComputeTraits<kI64> {
  using Type = std::int64_t;
  using Running = std::int64_t;
};
template <>
struct ComputeTraits<kU64> {
  using Type = std::uint64_t;
  using Running = std::uint64_t;
};

// Accumulators as a run of the running type: loops over members of a union do not vectorise.
template <class Running>
Running* values_of(Accumulator* accumulators) {
  static_assert(sizeof(Running) == sizeof(Accumulator));
  return reinterpret_cast<Running*>(accumulators);
}
template <class Running>
const Running* values_of(const Accumulator* accumulators) {
  return values_of<Running>(const_cast<Accumulator*>(accumulators));
}

}  // namespace collet::cpu::COLLET_CPU_ISA
