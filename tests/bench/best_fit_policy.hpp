// SPDX-License-Identifier: Apache-2.0
//
// The reference of the rows about reserved memory: the plain best-fit policy of a caching
// allocator, in arithmetic. No memory is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "memory_trace.hpp"

namespace collet::bench {

// Sizes are rounded up to 512 bytes. Buffers of up to 1 MiB come from segments of 2 MiB, which they
// have for themselves; others of less than 10 MiB from segments of 20 MiB, and larger ones from
// segments of their size, rounded up to 2 MiB. The smallest free block that fits is taken, and
// split where the rest is worth it. Neighbours are joined on release. Segments are never given
// back.
class BestFitPolicy {
 public:
  // `buffer` names the block later on.
  void allocate(std::size_t buffer, std::uint64_t size_bytes);
  void release(std::size_t buffer);

  [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }

 private:
  enum Pool : std::uint8_t { kSmall, kLarge };
  using Address = std::uint64_t;
  struct Block {
    std::uint64_t size_bytes;
    Pool pool;
    bool is_free;
  };
  // By address. Those of a segment touch each other, and those of two segments do not.
  using Blocks = std::map<Address, Block>;

  Blocks::iterator take(Pool pool, std::uint64_t size_bytes);
  Blocks::iterator grow(Pool pool, std::uint64_t size_bytes);
  void split(Blocks::iterator block, std::uint64_t size_bytes);
  // Where both are free, and of one segment.
  void join_with_next(Blocks::iterator block);

  Blocks blocks_;
  std::array<std::set<std::pair<std::uint64_t, Address>>, 2> free_by_size_;
  std::map<std::size_t, Address> used_;
  Address next_segment_ = 0;
  std::uint64_t reserved_bytes_ = 0;
};

// The most that the policy reserves for a trace.
std::uint64_t best_fit_reserved_bytes(const MemoryTrace& trace);

}  // namespace collet::bench
