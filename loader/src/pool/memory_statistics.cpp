// SPDX-License-Identifier: Apache-2.0
// What a pool counts over all its arenas.
#include <algorithm>
#include <map>

#include "pool/device_memory.hpp"
#include "pool/memory_pool.hpp"

namespace collet::loader {

MemoryPool::AllLocked::AllLocked(const MemoryPool& pool) noexcept : pool_(pool) {
  pool_.mutex_.lock();
  for (const auto& arena : pool_.arenas_) {
    arena->mutex.lock();
  }
}

MemoryPool::AllLocked::~AllLocked() {
  for (const auto& arena : pool_.arenas_) {
    arena->mutex.unlock();
  }
  pool_.mutex_.unlock();
}

Measures MemoryPool::sums() const noexcept {
  Measures sums{};
  for (const auto& arena : arenas_) {
    for (std::size_t i = 0; i < kMeasures; ++i) {
      sums[i] += arena->counts.current[i];
    }
  }
  return sums;
}

void MemoryPool::count(const Place& place, const Stream& on,
                       std::uint64_t requested_bytes) noexcept {
  Arena& arena = *place.arena;
  const auto use_block = [&] {
    place.block->state = BlockState::kUsed;
    record(HistoryKind::kAlloc, *place.block, requested_bytes, on.state.get());
  };
  const std::uint64_t allocated_bytes = place.block->size_bytes;
  {
    const std::lock_guard lock(arena.mutex);
    if (arena.counts.add(requested_bytes, allocated_bytes)) {
      use_block();
      return;
    }
  }
  const AllLocked lock(*this);
  use_block();
  arena.counts.add_unchecked({requested_bytes, allocated_bytes, allocated_bytes, 1});
  const Measures sum = sums();
  for (std::size_t i = 0; i < kMeasures; ++i) {
    peak_[i] = std::max(peak_[i], sum[i]);
  }
  share_allowances(arena);
}

// Shares out what is left to the peaks: half to the arena that asks, the rest to the others.
void MemoryPool::share_allowances(Arena& asking) noexcept {
  const Measures sum = sums();
  const std::uint64_t other_count = arenas_.size() - 1;
  for (std::size_t i = 0; i < kMeasures; ++i) {
    const std::uint64_t slack = peak_[i] - sum[i];
    const std::uint64_t share = other_count == 0 ? 0 : slack / 2 / other_count;
    for (const auto& arena : arenas_) {
      arena->counts.allowance[i] = arena->counts.current[i] + share;
    }
    asking.counts.allowance[i] = asking.counts.current[i] + slack - share * other_count;
  }
}

PoolSnapshot MemoryPool::snapshot() noexcept {
  owner_.waiting().poll_all();
  PoolSnapshot result;
  const AllLocked lock(*this);
  result.current = sums();
  result.peak = peak_;
  result.reserved = reserved_;
  result.segments = segments_;
  result.retries = retries_;
  result.out_of_memory = out_of_memory_;
  result.limit_bytes = limit_bytes_;
  for (const auto& arena : arenas_) {
    for (std::size_t i = 0; i < kMeasures; ++i) {
      result.total[i] += arena->counts.total[i];
    }
    // Joins what is free, so that it goes first.
    result.largest_free_bytes = std::max(result.largest_free_bytes, arena->largest_free_bytes());
    result.split_bytes += arena->split_bytes();
  }
  return result;
}

void MemoryPool::reset_peaks() noexcept {
  const AllLocked lock(*this);
  peak_ = sums();
  reserved_.peak = reserved_.current;
  segments_.peak = segments_.current;
  for (const auto& arena : arenas_) {
    arena->counts.allowance = arena->counts.current;
  }
}

std::vector<std::pair<std::string, std::uint64_t>> MemoryPool::users() const {
  std::map<const Tag*, std::uint64_t> by_tag;
  {
    const AllLocked lock(*this);
    for (const auto& arena : arenas_) {
      for (const Segment& segment : arena->segments()) {
        for (const Block* block = segment.first; block != nullptr; block = block->next) {
          if (block->state == BlockState::kUsed) {
            by_tag[block->tag] += block->size_bytes;
          }
        }
      }
    }
  }
  std::vector<std::pair<std::string, std::uint64_t>> result;
  result.reserve(by_tag.size());
  for (const auto& [tag, bytes] : by_tag) {
    result.emplace_back(tag == nullptr ? "(no tag)" : tag->name, bytes);
  }
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

}  // namespace collet::loader
