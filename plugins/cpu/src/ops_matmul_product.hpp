// SPDX-License-Identifier: Apache-2.0
/** Products of two matrices, on one thread: by oneDNN in f32, by our own loops in f64. */
#pragma once

#include <memory>
#include <string>

#include "onednn.hpp"
#include "ops_types.hpp"

namespace collet::cpu {

/** Immutable; several threads may run it at a time. */
class Product {
 public:
  Product() = default;
  virtual ~Product() = default;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  virtual void run(const ProductOperands& operands) const = 0;
  [[nodiscard]] virtual std::uint64_t scratch_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::string implementation() const = 0;
};

/** Without sizes of 0, and with strides that fits_product() accepts. F64 has no bias and beta. */
[[nodiscard]] std::unique_ptr<const Product> make_product(Compute compute,
                                                          const ProductShape& shape);

/** A matrix whose strides a product can use as input; those of size-1 dimensions do not matter. */
[[nodiscard]] bool is_usable_input(std::int64_t rows, std::int64_t columns,
                                   const MatrixStrides& strides);
/** One that is contiguous along columns: usable as output, too. */
[[nodiscard]] bool is_row_major(std::int64_t rows, std::int64_t columns,
                                const MatrixStrides& strides);

}  // namespace collet::cpu
