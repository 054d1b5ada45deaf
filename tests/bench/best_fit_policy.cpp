// SPDX-License-Identifier: Apache-2.0
#include "best_fit_policy.hpp"

#include <algorithm>
#include <iterator>

namespace collet::bench {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kUnitBytes = 512;
constexpr std::uint64_t kMostSmallBytes = kMiB;

std::uint64_t round_up(std::uint64_t size, std::uint64_t step) {
  return (size + step - 1) / step * step;
}

std::uint64_t segment_bytes(std::uint64_t size_bytes) {
  if (size_bytes <= kMostSmallBytes) return 2 * kMiB;
  return size_bytes < 10 * kMiB ? 20 * kMiB : round_up(size_bytes, 2 * kMiB);
}

}  // namespace

void BestFitPolicy::allocate(std::size_t buffer, std::uint64_t size_bytes) {
  const std::uint64_t rounded = std::max(kUnitBytes, round_up(size_bytes, kUnitBytes));
  const Pool pool = rounded <= kMostSmallBytes ? kSmall : kLarge;
  auto block = take(pool, rounded);
  if (block == blocks_.end()) block = grow(pool, rounded);
  split(block, rounded);
  used_[buffer] = block->first;
}

BestFitPolicy::Blocks::iterator BestFitPolicy::take(Pool pool, std::uint64_t size_bytes) {
  auto& free_blocks = free_by_size_[pool];
  const auto fitting = free_blocks.lower_bound({size_bytes, 0});
  if (fitting == free_blocks.end()) return blocks_.end();
  const auto block = blocks_.find(fitting->second);
  free_blocks.erase(fitting);
  block->second.is_free = false;
  return block;
}

BestFitPolicy::Blocks::iterator BestFitPolicy::grow(Pool pool, std::uint64_t size_bytes) {
  const std::uint64_t bytes = segment_bytes(size_bytes);
  reserved_bytes_ += bytes;
  const auto block = blocks_.emplace(next_segment_, Block{bytes, pool, false}).first;
  next_segment_ += bytes + kUnitBytes;
  return block;
}

void BestFitPolicy::split(Blocks::iterator block, std::uint64_t size_bytes) {
  auto& [address, whole] = *block;
  const std::uint64_t rest = whole.size_bytes - size_bytes;
  const bool is_worth_it = whole.pool == kSmall ? rest >= kUnitBytes : rest > kMostSmallBytes;
  if (!is_worth_it) return;
  whole.size_bytes = size_bytes;
  blocks_.emplace(address + size_bytes, Block{rest, whole.pool, true});
  free_by_size_[whole.pool].insert({rest, address + size_bytes});
}

void BestFitPolicy::release(std::size_t buffer) {
  const auto used = used_.find(buffer);
  const auto block = blocks_.find(used->second);
  used_.erase(used);
  block->second.is_free = true;
  free_by_size_[block->second.pool].insert({block->second.size_bytes, block->first});
  join_with_next(block);
  if (block != blocks_.begin()) join_with_next(std::prev(block));
}

void BestFitPolicy::join_with_next(Blocks::iterator block) {
  const auto next = std::next(block);
  if (next == blocks_.end()) return;
  auto& [address, first] = *block;
  const auto& [next_address, second] = *next;
  if (!first.is_free || !second.is_free || address + first.size_bytes != next_address) return;
  auto& free_blocks = free_by_size_[first.pool];
  free_blocks.erase({first.size_bytes, address});
  free_blocks.erase({second.size_bytes, next_address});
  first.size_bytes += second.size_bytes;
  free_blocks.insert({first.size_bytes, address});
  blocks_.erase(next);
}

std::uint64_t best_fit_reserved_bytes(const MemoryTrace& trace) {
  BestFitPolicy policy;
  for (const TraceEvent& event : trace.events()) {
    if (event.size_bytes) {
      policy.allocate(event.buffer, *event.size_bytes);
    } else {
      policy.release(event.buffer);
    }
  }
  return policy.reserved_bytes();
}

}  // namespace collet::bench
