// SPDX-License-Identifier: Apache-2.0
#include "ops_matmul_epilogue.hpp"

#include <algorithm>

namespace collet::cpu {
namespace {

std::uint32_t unary_of(collet_activation_t activation) {
  switch (activation) {
    case COLLET_ACTIVATION_RELU:
      return COLLET_UNARY_RELU;
    case COLLET_ACTIVATION_GELU:
      return COLLET_UNARY_GELU;
    case COLLET_ACTIVATION_TANH:
      return COLLET_UNARY_TANH;
    case COLLET_ACTIVATION_SIGMOID:
      return COLLET_UNARY_SIGMOID;
    default:
      return 0;
  }
}

}  // namespace

Epilogue::Epilogue(const Desc& desc)
    : desc_(desc), activation_(kernels().unary[desc.compute][unary_of(desc.activation)]) {}

void Epilogue::run(const Operands& operands, std::int64_t rows, std::int64_t columns) const {
  const std::int64_t size = type_size(element_of(desc_.compute));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; column += kChunk) {
      const auto at = [&](const MatrixView& view, std::int64_t column_step) {
        return view.data + row * view.row_step + column * column_step;
      };
      run_chunk(
          at(operands.product, size), at(operands.out, operands.out.column_step),
          desc_.bias == COLLET_TYPE_NONE ? nullptr : at(operands.bias, operands.bias.column_step),
          operands, std::min(kChunk, columns - column));
    }
  }
}

void Epilogue::run_chunk(const std::byte* product, std::byte* out, const std::byte* bias,
                         const Operands& operands, std::int64_t n) const {
  const Kernels& k = kernels();
  const Compute compute = desc_.compute;
  const std::int64_t out_stride = operands.out.column_step / type_size(desc_.out);
  // Where nothing has to be converted, the values are built in the output itself.
  const bool direct = out_stride == 1 && desc_.out == element_of(compute) && desc_.beta == 0;
  alignas(64) double buffer[kChunk];
  alignas(64) double other[kChunk];
  void* const values = direct ? static_cast<void*>(out) : buffer;
  const void* current = product;
  const auto add = [&](const void* more) {
    k.binary[compute][COLLET_BINARY_ADD](current, more, values, n);
    current = values;
  };

  if (desc_.alpha != 1) {
    k.scale_row[compute](product, n, desc_.alpha, values);
    current = values;
  }
  if (desc_.beta != 0) {
    k.load[compute][desc_.out](out, out_stride, n, other);
    if (desc_.beta != 1) k.scale_row[compute](other, n, desc_.beta, other);
    add(other);
  }
  if (bias != nullptr) {
    k.load[compute][desc_.bias](bias, operands.bias.column_step / type_size(desc_.bias), n, other);
    add(other);
  }
  if (activation_ != nullptr) {
    activation_(current, values, n);
    current = values;
  }
  if (current != out) k.store[compute][desc_.out](current, n, out, out_stride);
}

}  // namespace collet::cpu
