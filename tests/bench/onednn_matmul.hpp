// SPDX-License-Identifier: Apache-2.0
//
// The reference of the matmul rows: oneDNN, called as a program without Collet would.
#pragma once

#include <array>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>

#include "harness.hpp"

namespace collet::bench {

// C = A B, of square f32 matrices. The primitive and its memory objects are made once.
class OnednnMatmul {
 public:
  // The matrices must outlive this object.
  OnednnMatmul(std::int64_t n, float* a, float* b, float* c, unsigned threads);

  // Multiplies. Refers to this object.
  [[nodiscard]] Batch batch();

 private:
  unsigned threads_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory a_;
  dnnl::memory b_;
  dnnl::memory c_;
  dnnl::primitive primitive_;
  std::array<dnnl_exec_arg_t, 3> arguments_{};
};

}  // namespace collet::bench
