// SPDX-License-Identifier: Apache-2.0
#include "isa.hpp"

namespace collet::cpu::COLLET_CPU_ISA {

void add_kernels(Kernels& table) {
  add_convert_kernels(table);
  add_unary_kernels(table);
  add_binary_kernels(table);
  add_reduce_kernels(table);
  add_softmax_kernels(table);
  add_matmul_kernels(table);
}

}  // namespace collet::cpu::COLLET_CPU_ISA
