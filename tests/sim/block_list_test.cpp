// SPDX-License-Identifier: Apache-2.0
#include "block_list.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"

namespace collet::sim {
namespace {

TEST_CASE("block_list: blocks are taken from the first place with room") {
  BlockList blocks(1000);
  const auto a = blocks.allocate(100, 1);
  const auto b = blocks.allocate(200, 1);
  REQUIRE(a);
  REQUIRE(b);
  CHECK((*a)->offset_bytes == 0);
  CHECK((*b)->offset_bytes == 100);
  CHECK(blocks.free_bytes() == 700);
  blocks.free(*a);
  const auto too_large_for_the_gap = blocks.allocate(101, 1);
  REQUIRE(too_large_for_the_gap);
  CHECK((*too_large_for_the_gap)->offset_bytes == 300);
  const auto fits = blocks.allocate(100, 1);
  REQUIRE(fits);
  CHECK((*fits)->offset_bytes == 0);
}

TEST_CASE("block_list: what lies before an aligned block stays free") {
  BlockList blocks(1024);
  const auto first = blocks.allocate(1, 1);
  const auto aligned = blocks.allocate(512, 512);
  REQUIRE(first);
  REQUIRE(aligned);
  CHECK((*aligned)->offset_bytes == 512);
  CHECK(blocks.free_bytes() == 511);
  CHECK(blocks.largest_free_bytes() == 511);
  CHECK_FALSE(blocks.allocate(1, 1024));
  CHECK_FALSE(blocks.allocate(512, 1));
  CHECK(blocks.allocate(511, 1));
  CHECK(blocks.free_bytes() == 0);
  CHECK_FALSE(blocks.allocate(1, 1));
}

TEST_CASE("block_list: any order of frees gives the whole range back") {
  constexpr std::uint64_t kSize = std::uint64_t{1} << 16;
  std::mt19937 random(1);
  BlockList blocks(kSize);
  std::vector<BlockList::Place> live;
  std::uint64_t used = 0;
  for (int step = 0; step < 5000; ++step) {
    if (random() % 2 == 0) {
      const std::uint64_t alignment = std::uint64_t{1} << random() % 10;
      if (const auto block = blocks.allocate(1 + random() % 2000, alignment)) {
        REQUIRE((*block)->offset_bytes % alignment == 0);
        for (const BlockList::Place& other : live) {
          REQUIRE(((*block)->offset_bytes + (*block)->size_bytes <= other->offset_bytes ||
                   other->offset_bytes + other->size_bytes <= (*block)->offset_bytes));
        }
        used += (*block)->size_bytes;
        live.push_back(*block);
      }
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      used -= live.back()->size_bytes;
      blocks.free(live.back());
      live.pop_back();
    }
    REQUIRE(blocks.free_bytes() == kSize - used);
  }
  for (const BlockList::Place& block : live) blocks.free(block);
  CHECK(blocks.largest_free_bytes() == kSize);
}

}  // namespace
}  // namespace collet::sim
