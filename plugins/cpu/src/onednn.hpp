// SPDX-License-Identifier: Apache-2.0
/** The one place that knows oneDNN, in both of its API generations (2.x and 3.x). */
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace collet::cpu {

/** Version of the library that runs, as "oneDNN 2.6.0". */
[[nodiscard]] std::string onednn_runtime_version();
/** Version of the headers that this plugin was built against. */
[[nodiscard]] std::string onednn_built_against();

/** Distances between neighbours, in elements. */
struct MatrixStrides {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/** C[m][n] = A[m][k] B[k][n] + beta C + bias[n]. With beta 0, C is not read. */
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  MatrixStrides a;
  MatrixStrides b;
  MatrixStrides c;
  bool has_bias = false;
  float beta = 0;
};

struct ProductOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  /** Contiguous; NULL without one. */
  const void* bias = nullptr;
  void* c = nullptr;
  /** At least scratch_bytes(), aligned to 64. */
  void* scratch = nullptr;
};

/**
 * A product in f32 that runs on the calling thread alone.
 *
 * Immutable; several threads may run it at a time. No size is 0: oneDNN 2.6 divides by it. Of each
 * pair of strides one is 1, of C's the column's, and the other is at least what it spans.
 */
class OneDnnProduct {
 public:
  explicit OneDnnProduct(const ProductShape& shape);
  ~OneDnnProduct();
  OneDnnProduct(const OneDnnProduct&) = delete;
  OneDnnProduct& operator=(const OneDnnProduct&) = delete;

  void run(const ProductOperands& operands) const;

  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept;
  /** The implementation that oneDNN chose, such as "brg:avx512_core". */
  [[nodiscard]] const std::string& implementation() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace collet::cpu
