// SPDX-License-Identifier: Apache-2.0
// What a history of memory comes to: buffers with their beginning and end, and sums over time.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/history_file.hpp"

namespace collet::cli {

// An event that the history does not have.
inline constexpr std::size_t kNoEvent = SIZE_MAX;

// A buffer and its memory, by indices of events.
struct BlockLife {
  std::size_t alloc = kNoEvent;
  std::size_t free_requested = kNoEvent;
  std::size_t free_completed = kNoEvent;
};

struct SegmentLife {
  std::size_t alloc = kNoEvent;
  std::size_t free = kNoEvent;
};

// Sums after an event.
struct MemorySums {
  std::size_t event = 0;
  std::uint64_t reserved_bytes = 0;
  // Of live buffers.
  std::uint64_t allocated_bytes = 0;
  // Of released ones that streams still use.
  std::uint64_t waiting_bytes = 0;

  [[nodiscard]] std::uint64_t active_bytes() const noexcept {
    return allocated_bytes + waiting_bytes;
  }
};

// One pool of a history.
struct PoolLife {
  std::size_t pool = 0;
  // In the order of their beginnings.
  std::vector<BlockLife> blocks;
  std::vector<SegmentLife> segments;
  std::vector<std::size_t> out_of_memory;
  // When most was allocated; the first such moment.
  MemorySums peak;
  std::uint64_t peak_reserved_bytes = 0;
  std::uint64_t peak_waiting_bytes = 0;
  // Equal steps of time, and of each the moment when most was active.
  std::vector<MemorySums> columns;
};

struct HistoryModel {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // Those with events.
  std::vector<PoolLife> pools;
};

// Events that contradict what came before are left out, such as a release of what is not there.
HistoryModel model_of(const History& history, std::size_t columns);

// The buffers that live at a moment; at the end of the history for kNoEvent.
std::vector<BlockLife> live_at(const PoolLife& pool, std::size_t event);

// Bytes of live buffers in groups, at each of the moments, which are in order. `group_of_tag` gives
// the group of each tag, of which there are `groups`.
std::vector<std::vector<std::uint64_t>> bytes_by_group(const History& history, const PoolLife& pool,
                                                       const std::vector<MemorySums>& moments,
                                                       const std::vector<std::size_t>& group_of_tag,
                                                       std::size_t groups);

}  // namespace collet::cli
