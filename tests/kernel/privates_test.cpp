// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::KernelArgument;
using collet::test::line;
using collet::test::runners;

namespace {

// In each round an item takes what its neighbour had, and notes it.
std::vector<int> rotated(int groups, int items, int rounds) {
  std::vector<int> out;
  for (int group = 0; group < groups; ++group) {
    for (int item = 0; item < items; ++item) {
      std::vector<int> row{group * 1000 + (item + rounds) % items, -1, -1, -1};
      for (int round = 0; round < rounds; ++round) {
        row[static_cast<std::size_t>(1 + round % 3)] = group * 1000 + (item + round + 1) % items;
      }
      out.insert(out.end(), row.begin(), row.end());
    }
  }
  return out;
}

TEST_CASE("the values of an item live through barriers") {
  for (const auto& runner : runners()) {
    for (const int rounds : {0, 1, 2, 5, 30}) {
      INFO(runner->name() << ": " << rounds << " rounds");
      std::vector<int> sized(3 * 24 * 4, -7);
      runner->launch("privates", "rotate_sized", line(3, 24), {sized, rounds});
      CHECK((sized == rotated(3, 24, rounds)));
      for (const int items : {1, 5, 32}) {
        std::vector<int> any(static_cast<std::size_t>(2 * items * 4), -7);
        runner->launch(
            "privates", "rotate_any", line(2, static_cast<std::size_t>(items)),
            {any, rounds, KernelArgument::local(static_cast<std::size_t>(items) * sizeof(int))});
        CHECK((any == rotated(2, items, rounds)));
      }
    }
  }
}

TEST_CASE("each local argument has memory of its own") {
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<int> out(2 * 13, -1);
    runner->launch("privates", "two_locals", line(2, 13),
                   {out, KernelArgument::local(13), KernelArgument::local(13 * sizeof(int))});
    for (int i = 0; i < 26; ++i) {
      const int other = 12 - i % 13;
      CHECK(out[static_cast<std::size_t>(i)] == other * 1000 + other + 1);
    }
  }
}

TEST_CASE("continue ends an item, and not the block") {
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<int> out(50, 0);
    runner->launch("privates", "only_odd", line(4, 16), {out, std::uint64_t{50}});
    for (std::size_t i = 0; i < 50; ++i) CHECK(out[i] == (i % 2 == 0 ? 1 : 11));
  }
}

}  // namespace
