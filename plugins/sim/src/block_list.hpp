// SPDX-License-Identifier: Apache-2.0
/** Who has which bytes of a range. */
#pragma once

#include <cstdint>
#include <list>
#include <optional>

namespace collet::sim {

/**
 * Splits a range of bytes into blocks, by first fit.
 *
 * Blocks lie side by side, with nothing between them; freeing one joins it with free neighbours,
 * and never allocates. Not for several threads.
 */
class BlockList {
 public:
  struct Block {
    std::uint64_t offset_bytes;
    std::uint64_t size_bytes;
    bool is_free;
  };
  using Place = std::list<Block>::iterator;

  explicit BlockList(std::uint64_t size_bytes) : blocks_{{0, size_bytes, true}} {}
  BlockList(const BlockList&) = delete;
  BlockList& operator=(const BlockList&) = delete;

  /** Nothing if no free block has room. The size is not 0, the alignment a power of two. */
  [[nodiscard]] std::optional<Place> allocate(std::uint64_t size_bytes,
                                              std::uint64_t alignment_bytes);
  /** At a place of the caller's choice; nothing if it is not free. */
  [[nodiscard]] std::optional<Place> allocate_at(std::uint64_t offset_bytes,
                                                 std::uint64_t size_bytes);
  void free(Place place) noexcept;

  [[nodiscard]] std::uint64_t free_bytes() const noexcept;
  [[nodiscard]] std::uint64_t largest_free_bytes() const noexcept;

 private:
  /** Takes `size_bytes` of a free block, from `gap_bytes` on. */
  Place take(Place place, std::uint64_t gap_bytes, std::uint64_t size_bytes);
  /** Makes a block of its own of what lies behind the first `size_bytes` of a free one. */
  void split(Place place, std::uint64_t size_bytes);

  std::list<Block> blocks_;
};

}  // namespace collet::sim
