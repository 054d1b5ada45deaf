// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using namespace collet::test;

namespace {

// Whole numbers, whose products and sums are exact.
std::vector<float> whole_numbers(int count, int step) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<float>(i * step % 13 - 6);
  }
  return values;
}

std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b, int m, int n,
                             int k) {
  std::vector<float> c(static_cast<std::size_t>(m * n), 0);
  for (int row = 0; row < m; ++row) {
    for (int j = 0; j < k; ++j) {
      for (int column = 0; column < n; ++column) {
        c[static_cast<std::size_t>(row * n + column)] +=
            a[static_cast<std::size_t>(row * k + j)] * b[static_cast<std::size_t>(j * n + column)];
      }
    }
  }
  return c;
}

TEST_CASE("a tiled product of matrices is right where tiles reach past every edge") {
  struct Sizes {
    int m, n, k;
  };
  for (const auto& runner : runners()) {
    for (const auto [m, n, k] :
         {Sizes{1, 1, 1}, {64, 64, 16}, {65, 63, 17}, {70, 130, 33}, {3, 5, 0}}) {
      INFO(runner->name() << ": " << m << " x " << k << " times " << k << " x " << n);
      const std::vector<float> a = whole_numbers(m * k, 7);
      const std::vector<float> b = whole_numbers(k * n, 5);
      std::vector<float> c(static_cast<std::size_t>(m * n), -1);
      const auto tiles = [](int size) { return static_cast<std::size_t>((size + 63) / 64); };
      runner->launch("matmul", "matmul", {{tiles(n), tiles(m), 1}, {16, 16, 1}},
                     {a, b, c, m, n, k});
      CHECK((c == reference(a, b, m, n, k)));
    }
  }
}

}  // namespace
