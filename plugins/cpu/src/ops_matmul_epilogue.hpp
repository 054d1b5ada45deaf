// SPDX-License-Identifier: Apache-2.0
/** What follows a matrix product: out = activation(alpha * product + beta * out + bias). */
#pragma once

#include <collet/ops.h>

#include <cstddef>
#include <cstdint>

#include "ops_types.hpp"

namespace collet::cpu {

/** A matrix in memory; strides in bytes. */
struct MatrixView {
  std::byte* data = nullptr;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
};

/** Immutable. */
class Epilogue {
 public:
  struct Desc {
    Compute compute;
    double alpha;
    double beta;
    collet_activation_t activation;
    collet_type_t out;
    /** NONE without a bias. */
    collet_type_t bias;
  };

  explicit Epilogue(const Desc& desc);

  struct Operands {
    /** Of the compute type, contiguous along columns; may be the output. */
    MatrixView product;
    MatrixView out;
    MatrixView bias;
  };
  void run(const Operands& operands, std::int64_t rows, std::int64_t columns) const;

 private:
  void run_chunk(const std::byte* product, std::byte* out, const std::byte* bias,
                 const Operands& operands, std::int64_t n) const;

  Desc desc_;
  Kernels::Unary activation_ = nullptr;
};

}  // namespace collet::cpu
