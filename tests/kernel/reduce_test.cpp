// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::KernelArgument;
using collet::test::line;
using collet::test::runners;

namespace {

// Whole numbers, so that sums in any order are exact.
std::vector<float> whole_numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 31) - 12;
  return values;
}

float total(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0F);
}

TEST_CASE("a block reduction adds what its group meets, in local memory between barriers") {
  for (const auto& runner : runners()) {
    for (const std::size_t count : {0U, 1U, 255U, 256U, 257U, 5000U, 70001U}) {
      for (const std::size_t groups : {1U, 5U}) {
        INFO(runner->name() << ": " << count << " elements, " << groups << " groups");
        const std::vector<float> x = whole_numbers(count);
        std::vector<float> sums(groups, -1);
        runner->launch("reduce", "block_sum", line(groups, 256), {x, sums, std::uint64_t{count}});
        CHECK(total(sums) == total(x));
      }
    }
  }
}

TEST_CASE("local memory has the size that the launch gives, for groups of any size") {
  for (const auto& runner : runners()) {
    for (const std::size_t items : {1U, 2U, 32U, 128U}) {
      INFO(runner->name() << ": groups of " << items);
      const std::vector<float> x = whole_numbers(3001);
      std::vector<float> sums(3, -1);
      runner->launch(
          "reduce", "block_sum_any", line(3, items),
          {x, sums, std::uint64_t{x.size()}, KernelArgument::local(items * sizeof(float))});
      CHECK(total(sums) == total(x));
    }
  }
}

}  // namespace
