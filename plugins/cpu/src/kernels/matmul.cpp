// SPDX-License-Identifier: Apache-2.0
#include "isa.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

// A tile of C is held in registers while k runs.
constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 8;

struct Tile {
  Kernels::InputMatrix a;
  Kernels::RowMajor<const double> b;
  Kernels::RowMajor<double> c;
};

void multiply_full(const Tile& t, std::int64_t k) {
  double sums[kRows][kColumns] = {};
  for (std::int64_t p = 0; p < k; ++p) {
    const double* const b = t.b.data + p * t.b.row_stride;
    for (std::int64_t i = 0; i < kRows; ++i) {
      const double factor = t.a.data[i * t.a.row_stride + p * t.a.column_stride];
      for (std::int64_t j = 0; j < kColumns; ++j) sums[i][j] += factor * b[j];
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) t.c.data[i * t.c.row_stride + j] += sums[i][j];
  }
}

void multiply_edge(const Tile& t, std::int64_t rows, std::int64_t columns, std::int64_t k) {
  for (std::int64_t i = 0; i < rows; ++i) {
    double sums[kColumns] = {};
    for (std::int64_t p = 0; p < k; ++p) {
      const double factor = t.a.data[i * t.a.row_stride + p * t.a.column_stride];
      for (std::int64_t j = 0; j < columns; ++j) {
        sums[j] += factor * t.b.data[p * t.b.row_stride + j];
      }
    }
    for (std::int64_t j = 0; j < columns; ++j) t.c.data[i * t.c.row_stride + j] += sums[j];
  }
}

void multiply_f64(const Kernels::InputMatrix& a, const Kernels::RowMajor<const double>& b,
                  const Kernels::RowMajor<double>& c, const Kernels::ProductSize& size) {
  constexpr std::int64_t kDepth = 256;  // rows of B that stay in the second cache
  for (std::int64_t p = 0; p < size.k; p += kDepth) {
    const std::int64_t depth = size.k - p < kDepth ? size.k - p : kDepth;
    for (std::int64_t j = 0; j < size.n; j += kColumns) {
      const std::int64_t columns = size.n - j < kColumns ? size.n - j : kColumns;
      for (std::int64_t i = 0; i < size.m; i += kRows) {
        const std::int64_t rows = size.m - i < kRows ? size.m - i : kRows;
        Tile tile = {a, b, c};
        tile.a.data += i * a.row_stride + p * a.column_stride;
        tile.b.data += p * b.row_stride + j;
        tile.c.data += i * c.row_stride + j;
        if (rows == kRows && columns == kColumns) {
          multiply_full(tile, depth);
        } else {
          multiply_edge(tile, rows, columns, depth);
        }
      }
    }
  }
}

}  // namespace

void add_matmul_kernels(Kernels& table) { table.multiply_f64 = multiply_f64; }

}  // namespace collet::cpu::COLLET_CPU_ISA
