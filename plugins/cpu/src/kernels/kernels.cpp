// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace collet::cpu {

namespace baseline {
void add_kernels(Kernels& table);
}
#ifdef COLLET_CPU_HAS_AVX2
namespace avx2 {
void add_kernels(Kernels& table);
}
#endif

namespace {

Kernels make_kernels() {
  Kernels table = {};
#ifdef COLLET_CPU_HAS_AVX2
  if (__builtin_cpu_supports("avx2") != 0) {
    avx2::add_kernels(table);
    return table;
  }
#endif
  baseline::add_kernels(table);
  return table;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels kTable = make_kernels();
  return kTable;
}

}  // namespace collet::cpu
