// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::KernelShape;
using collet::test::runners;

namespace {

// Whole numbers, whose products and sums are exact.
std::vector<float> whole_numbers(std::size_t count, std::size_t step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * step % 13) - 6;
  return values;
}

std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b,
                             std::size_t m, std::size_t n, std::size_t k) {
  std::vector<float> c(m * n, 0);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t column = 0; column < n; ++column) {
        c[row * n + column] += a[row * k + j] * b[j * n + column];
      }
    }
  }
  return c;
}

TEST_CASE("a tiled product of matrices is right where tiles reach past every edge") {
  struct Sizes {
    std::size_t m, n, k;
  };
  for (const auto& runner : runners()) {
    for (const auto [m, n, k] :
         {Sizes{1, 1, 1}, {64, 64, 16}, {65, 63, 17}, {70, 130, 33}, {3, 5, 0}}) {
      INFO(runner->name() << ": " << m << " x " << k << " times " << k << " x " << n);
      const std::vector<float> a = whole_numbers(m * k, 7);
      const std::vector<float> b = whole_numbers(k * n, 5);
      std::vector<float> c(m * n, -1);
      const KernelShape shape{{(n + 63) / 64, (m + 63) / 64, 1}, {16, 16, 1}};
      runner->launch("matmul", "matmul", shape,
                     {a, b, c, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)});
      CHECK((c == reference(a, b, m, n, k)));
    }
  }
}

}  // namespace
