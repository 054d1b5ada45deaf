// SPDX-License-Identifier: Apache-2.0
// The free blocks of an arena, by size. Best fit; of large blocks of one size the first in the
// order of segments, of small ones the one that was released last.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <tuple>

#include "pool/block.hpp"

namespace collet::loader {

// Blocks have multiples of this; a device may ask for a greater unit.
inline constexpr std::uint64_t kLeastUnitBytes = 512;

// What a block is looked for.
struct Fit {
  std::uint64_t size_bytes = 0;
  // A power of two.
  std::uint64_t alignment_bytes = 0;
  // Larger blocks are not split for requests up to this size.
  std::uint64_t max_split_bytes = UINT64_MAX;
};

class FreeBlocks {
 public:
  explicit FreeBlocks(std::uint64_t unit_bytes) noexcept;

  void insert(Block& block) noexcept;
  void erase(Block& block) noexcept;
  // A block that has room, or nullptr. It stays in the lists.
  [[nodiscard]] Block* find(const Fit& fit) noexcept;
  [[nodiscard]] std::uint64_t largest_bytes() const noexcept;

 private:
  // Sizes up to this many units have a list each; a bit says that it is not empty.
  static constexpr std::uint64_t kExact = 2048;

  struct BySize {
    bool operator()(const Block& a, const Block& b) const noexcept {
      return std::tie(a.size_bytes, a.segment->number, a.offset_bytes) <
             std::tie(b.size_bytes, b.segment->number, b.offset_bytes);
    }
  };
  using List = boost::intrusive::list<Block, boost::intrusive::constant_time_size<false>>;
  using Tree = boost::intrusive::set<Block, boost::intrusive::compare<BySize>,
                                     boost::intrusive::constant_time_size<false>>;

  [[nodiscard]] std::uint64_t units(std::uint64_t size_bytes) const noexcept {
    return size_bytes >> unit_shift_;
  }
  // The first list that is not empty, from `start` on; kExact if there is none.
  [[nodiscard]] std::uint64_t next_list(std::uint64_t start) const noexcept;
  [[nodiscard]] Block* find_exact(const Fit& fit) noexcept;
  [[nodiscard]] Block* find_large(const Fit& fit) noexcept;

  const int unit_shift_;
  std::array<List, kExact> exact_;
  std::array<std::uint64_t, kExact / 64> filled_{};
  Tree large_;
};

// Bytes that are left out at the start of the block so that it has the alignment.
[[nodiscard]] std::uint64_t padding(const Block& block, std::uint64_t alignment_bytes) noexcept;

}  // namespace collet::loader
