// SPDX-License-Identifier: Apache-2.0
#include "block_list.hpp"

#include <algorithm>
#include <iterator>

namespace collet::sim {

std::optional<BlockList::Place> BlockList::allocate(std::uint64_t size_bytes,
                                                    std::uint64_t alignment_bytes) {
  for (auto place = blocks_.begin(); place != blocks_.end(); ++place) {
    if (!place->is_free) continue;
    const std::uint64_t gap = -place->offset_bytes & (alignment_bytes - 1);
    if (gap > place->size_bytes || size_bytes > place->size_bytes - gap) continue;
    return take(place, gap, size_bytes);
  }
  return std::nullopt;
}

std::optional<BlockList::Place> BlockList::allocate_at(std::uint64_t offset_bytes,
                                                       std::uint64_t size_bytes) {
  for (auto place = blocks_.begin(); place != blocks_.end(); ++place) {
    const std::uint64_t gap = offset_bytes - place->offset_bytes;
    if (gap >= place->size_bytes) continue;
    if (!place->is_free || size_bytes > place->size_bytes - gap) return std::nullopt;
    return take(place, gap, size_bytes);
  }
  return std::nullopt;
}

BlockList::Place BlockList::take(Place place, std::uint64_t gap_bytes, std::uint64_t size_bytes) {
  if (gap_bytes > 0) {
    split(place, gap_bytes);
    ++place;
  }
  split(place, size_bytes);
  place->is_free = false;
  return place;
}

void BlockList::split(Place place, std::uint64_t size_bytes) {
  if (size_bytes == place->size_bytes) return;
  blocks_.insert(std::next(place),
                 {place->offset_bytes + size_bytes, place->size_bytes - size_bytes, true});
  place->size_bytes = size_bytes;
}

void BlockList::free(Place place) noexcept {
  place->is_free = true;
  if (const auto next = std::next(place); next != blocks_.end() && next->is_free) {
    place->size_bytes += next->size_bytes;
    blocks_.erase(next);
  }
  if (place == blocks_.begin()) return;
  if (const auto before = std::prev(place); before->is_free) {
    before->size_bytes += place->size_bytes;
    blocks_.erase(place);
  }
}

std::uint64_t BlockList::free_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Block& block : blocks_) sum += block.is_free ? block.size_bytes : 0;
  return sum;
}

std::uint64_t BlockList::largest_free_bytes() const noexcept {
  std::uint64_t largest = 0;
  for (const Block& block : blocks_) {
    if (block.is_free) largest = std::max(largest, block.size_bytes);
  }
  return largest;
}

}  // namespace collet::sim
