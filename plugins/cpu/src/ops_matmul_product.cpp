// SPDX-License-Identifier: Apache-2.0
#include "ops_matmul_product.hpp"

#include <algorithm>

#include "ops_plan.hpp"

namespace collet::cpu {
namespace {

class F32Product final : public Product {
 public:
  explicit F32Product(const ProductShape& shape) : product_(shape) {}

  void run(const ProductOperands& operands) const override { product_.run(operands); }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept override {
    return product_.scratch_bytes();
  }
  [[nodiscard]] std::string implementation() const override {
    return joined("onednn ", product_.implementation());
  }

 private:
  OneDnnProduct product_;
};

class F64Product final : public Product {
 public:
  explicit F64Product(const ProductShape& shape) : shape_(shape) {}

  void run(const ProductOperands& operands) const override {
    auto* const c = static_cast<double*>(operands.c);
    const std::int64_t ldc = shape_.c.row;
    for (std::int64_t row = 0; row < shape_.m; ++row) std::fill_n(c + row * ldc, shape_.n, 0.0);
    kernels().multiply_f64({static_cast<const double*>(operands.a), shape_.a.row, shape_.a.column},
                           {static_cast<const double*>(operands.b), shape_.b.row}, {c, ldc},
                           {shape_.m, shape_.n, shape_.k});
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept override { return 0; }
  [[nodiscard]] std::string implementation() const override { return kOwnLoops; }

 private:
  ProductShape shape_;
};

/** Gives dimensions of size 1 the strides of a dense matrix of the same order. */
MatrixStrides normalized(std::int64_t rows, std::int64_t columns, MatrixStrides strides) {
  if (columns == 1 && rows == 1) return {1, 1};
  if (columns == 1) strides.column = strides.row == 1 ? rows : 1;
  if (rows == 1) strides.row = strides.column == 1 ? columns : 1;
  return strides;
}

}  // namespace

bool is_row_major(std::int64_t rows, std::int64_t columns, const MatrixStrides& strides) {
  return (columns == 1 || strides.column == 1) && (rows == 1 || strides.row >= columns);
}

bool is_usable_input(std::int64_t rows, std::int64_t columns, const MatrixStrides& strides) {
  return is_row_major(rows, columns, strides) ||
         is_row_major(columns, rows, {strides.column, strides.row});
}

std::unique_ptr<const Product> make_product(Compute compute, const ProductShape& shape) {
  if (compute == kF64) return std::make_unique<F64Product>(shape);
  ProductShape normal = shape;
  normal.a = normalized(shape.m, shape.k, shape.a);
  normal.b = normalized(shape.k, shape.n, shape.b);
  normal.c = normalized(shape.m, shape.n, shape.c);
  return std::make_unique<F32Product>(normal);
}

}  // namespace collet::cpu
