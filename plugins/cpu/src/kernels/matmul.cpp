// SPDX-License-Identifier: Apache-2.0
#include "isa.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

// A tile of C is held in registers while k runs: left to itself, gcc spills it.
using Vector = double __attribute__((vector_size(4 * sizeof(double))));
constexpr std::int64_t kLanes = 4;
constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 2 * kLanes;

struct Tile {
  Kernels::InputMatrix a;
  const double* b;
  Kernels::RowMajor<double> c;
};

// Rows of B that are worked on at once, and their columns for a tile, next to each other.
constexpr std::int64_t kDepth = 256;
using Panel = double[kDepth][kColumns];

void pack(const Kernels::RowMajor<const double>& b, std::int64_t depth, std::int64_t columns,
          Panel& panel) {
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      panel[p][j] = j < columns ? b.data[p * b.row_stride + j] : 0;
    }
  }
}

void multiply_full(const Tile& t, std::int64_t k) {
  Vector sums[kRows][2] = {};
  for (std::int64_t p = 0; p < k; ++p) {
    const auto* const b = reinterpret_cast<const Vector*>(t.b + p * kColumns);
    for (std::int64_t i = 0; i < kRows; ++i) {
      const double factor = t.a.data[i * t.a.row_stride + p * t.a.column_stride];
      sums[i][0] += factor * b[0];
      sums[i][1] += factor * b[1];
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      t.c.data[i * t.c.row_stride + j] += sums[i][j / kLanes][j % kLanes];
    }
  }
}

void multiply_edge(const Tile& t, std::int64_t rows, std::int64_t columns, std::int64_t k) {
  for (std::int64_t i = 0; i < rows; ++i) {
    double sums[kColumns] = {};
    for (std::int64_t p = 0; p < k; ++p) {
      const double factor = t.a.data[i * t.a.row_stride + p * t.a.column_stride];
      for (std::int64_t j = 0; j < kColumns; ++j) sums[j] += factor * t.b[p * kColumns + j];
    }
    for (std::int64_t j = 0; j < columns; ++j) t.c.data[i * t.c.row_stride + j] += sums[j];
  }
}

void multiply_f64(const Kernels::InputMatrix& a, const Kernels::RowMajor<const double>& b,
                  const Kernels::RowMajor<double>& c, const Kernels::ProductSize& size) {
  alignas(64) Panel panel;
  for (std::int64_t p = 0; p < size.k; p += kDepth) {
    const std::int64_t depth = size.k - p < kDepth ? size.k - p : kDepth;
    for (std::int64_t j = 0; j < size.n; j += kColumns) {
      const std::int64_t columns = size.n - j < kColumns ? size.n - j : kColumns;
      pack({b.data + p * b.row_stride + j, b.row_stride}, depth, columns, panel);
      for (std::int64_t i = 0; i < size.m; i += kRows) {
        const std::int64_t rows = size.m - i < kRows ? size.m - i : kRows;
        Tile tile = {a, &panel[0][0], c};
        tile.a.data += i * a.row_stride + p * a.column_stride;
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
