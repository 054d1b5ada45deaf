// SPDX-License-Identifier: Apache-2.0
#include "pinned.hpp"

#include <array>

#include "support/catch.hpp"

namespace collet::sim {
namespace {

TEST_CASE("pinned: a range counts as long as it was added more often than removed") {
  const std::array<char, 100> memory{};
  PinnedRanges ranges(1000);
  CHECK_FALSE(ranges.contains(memory.data(), 1));
  CHECK(ranges.contains(nullptr, 0));
  ranges.add(memory.data() + 10, 50);
  ranges.add(memory.data() + 10, 50);
  ranges.remove(memory.data() + 10, 50);
  CHECK(ranges.contains(memory.data() + 10, 50));
  CHECK(ranges.contains(memory.data() + 59, 1));
  CHECK_FALSE(ranges.contains(memory.data() + 9, 2));
  CHECK_FALSE(ranges.contains(memory.data() + 10, 51));
  CHECK_FALSE(ranges.contains(memory.data() + 60, 1));
  CHECK_FALSE(ranges.contains(memory.data() + 20, UINT64_MAX));
  ranges.remove(memory.data() + 10, 50);
  CHECK_FALSE(ranges.contains(memory.data() + 10, 1));
}

TEST_CASE("pinned: the limit is exact") {
  PinnedRanges ranges(1000);
  CHECK(ranges.charge(999));
  CHECK_FALSE(ranges.charge(2));
  CHECK(ranges.charge(1));
  CHECK_FALSE(ranges.charge(UINT64_MAX));
  ranges.discharge(1000);
  CHECK(ranges.charge(1000));
}

}  // namespace
}  // namespace collet::sim
