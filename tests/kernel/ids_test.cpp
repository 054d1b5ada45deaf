// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::KernelShape;
using collet::test::line;
using collet::test::Runner;
using collet::test::runners;

namespace {

std::vector<int> ids_at(const KernelShape& shape, std::size_t x, std::size_t y, std::size_t z) {
  const std::array<std::size_t, 3> at{x, y, z};
  std::vector<int> ids(16, -1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ids[axis] = static_cast<int>(at[axis] % shape.items[axis]);
    ids[3 + axis] = static_cast<int>(at[axis] / shape.items[axis]);
    ids[6 + axis] = static_cast<int>(shape.items[axis]);
    ids[9 + axis] = static_cast<int>(shape.groups[axis]);
  }
  ids[12] = (ids[2] * ids[7] + ids[1]) * ids[6] + ids[0];
  ids[13] = static_cast<int>(shape.items[2] * shape.groups[2]);
  return ids;
}

std::vector<int> reference(const KernelShape& shape) {
  std::vector<int> all;
  for (std::size_t z = 0; z < shape.groups[2] * shape.items[2]; ++z) {
    for (std::size_t y = 0; y < shape.groups[1] * shape.items[1]; ++y) {
      for (std::size_t x = 0; x < shape.groups[0] * shape.items[0]; ++x) {
        const std::vector<int> ids = ids_at(shape, x, y, z);
        all.insert(all.end(), ids.begin(), ids.end());
      }
    }
  }
  return all;
}

void check_ids(Runner& runner, const std::string& kernel, const KernelShape& shape) {
  INFO(runner.name() << ": " << kernel);
  const std::vector<int> expected = reference(shape);
  std::vector<int> out(expected.size(), -1);
  runner.launch("ids", kernel, shape, {out});
  CHECK((out == expected));
}

TEST_CASE("every item knows its place along three axes") {
  for (const auto& runner : runners()) {
    check_ids(*runner, "ids", line(1, 1));
    check_ids(*runner, "ids", line(3, 7));
    check_ids(*runner, "ids", {{2, 3, 1}, {4, 2, 1}});
    check_ids(*runner, "ids", {{2, 3, 4}, {3, 5, 2}});
    check_ids(*runner, "ids_sized", {{3, 2, 2}, {5, 3, 2}});
  }
}

TEST_CASE("a range is spread over the items of all axes, and the first items are those along x") {
  for (const auto& runner : runners()) {
    for (const std::size_t count : {0U, 5U, 24U, 100U}) {
      INFO(runner->name() << ": " << count);
      std::vector<int> item_of(count, -1);
      std::vector<int> first(2 * 24, 0);
      runner->launch("ids", "flat_ids", {{2, 1, 1}, {4, 3, 2}},
                     {item_of, first, std::uint64_t{count}});
      // Some item takes each number, and none takes many more than its share.
      std::vector<std::size_t> taken(2 * 24, 0);
      for (const int item : item_of) {
        REQUIRE(item >= 0);
        REQUIRE(item < 2 * 24);
        ++taken[static_cast<std::size_t>(item)];
      }
      CHECK(*std::max_element(taken.begin(), taken.end()) <= count / taken.size() + 1);
      std::vector<int> expected_first(2 * 24, 0);
      for (std::size_t i = 0; i < 7; ++i) expected_first[i] = expected_first[24 + i] = 1;
      CHECK(first == expected_first);
    }
  }
}

}  // namespace
