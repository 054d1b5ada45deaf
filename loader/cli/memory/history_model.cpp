// SPDX-License-Identifier: Apache-2.0
#include "memory/history_model.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

namespace collet::cli {
namespace {

// Where a column ends, for the pools of a history.
struct Steps {
  std::int64_t begin_ns = 0;
  double width_ns = 0;
  std::size_t count = 0;

  [[nodiscard]] std::size_t column_of(std::int64_t time_ns) const noexcept {
    if (time_ns <= begin_ns) {
      return 0;
    }
    return std::min(static_cast<std::size_t>(static_cast<double>(time_ns - begin_ns) / width_ns),
                    count - 1);
  }
};

// Follows the events of one pool.
class Follower {
 public:
  Follower(const History& history, std::size_t pool, const Steps& steps)
      : history_(history), steps_(steps) {
    life_.pool = pool;
  }

  void follow(std::size_t event) {
    pass_to(steps_.column_of(history_.events[event].time_ns));
    apply(event);
    now_.event = event;
    life_.peak_reserved_bytes = std::max(life_.peak_reserved_bytes, now_.reserved_bytes);
    life_.peak_waiting_bytes = std::max(life_.peak_waiting_bytes, now_.waiting_bytes);
    if (now_.allocated_bytes > life_.peak.allocated_bytes) {
      life_.peak = now_;
    }
    if (now_.active_bytes() >= greatest_.active_bytes()) {
      greatest_ = now_;
    }
  }

  PoolLife finish() {
    pass_to(steps_.count);
    return std::move(life_);
  }

 private:
  using Place = std::pair<std::uint64_t, std::uint64_t>;
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept {
      return std::hash<std::uint64_t>()(place.first * 0x9e3779b97f4a7c15 + place.second);
    }
  };

  // Ends the columns before this one. Each begins with what there is at the end of the last.
  void pass_to(std::size_t column) {
    while (life_.columns.size() < column) {
      life_.columns.push_back(std::exchange(greatest_, now_));
    }
  }

  void apply(std::size_t event) {
    switch (history_.events[event].kind) {
      case HistoryKind::kSegmentAlloc:
        begin_segment(event);
        break;
      case HistoryKind::kSegmentFree:
        end_segment(event);
        break;
      case HistoryKind::kAlloc:
        begin_block(event);
        break;
      case HistoryKind::kFreeRequested:
        release_block(event);
        break;
      case HistoryKind::kFreeCompleted:
        end_block(event);
        break;
      case HistoryKind::kOutOfMemory:
        life_.out_of_memory.push_back(event);
        break;
    }
  }

  void begin_segment(std::size_t event) {
    const HistoryEvent& of = history_.events[event];
    if (live_segments_.emplace(of.segment, life_.segments.size()).second) {
      life_.segments.push_back({event});
      now_.reserved_bytes += of.size_bytes;
    }
  }

  void end_segment(std::size_t event) {
    const auto live = live_segments_.find(history_.events[event].segment);
    if (live != live_segments_.end()) {
      SegmentLife& segment = life_.segments[live->second];
      segment.free = event;
      now_.reserved_bytes -= history_.events[segment.alloc].size_bytes;
      live_segments_.erase(live);
    }
  }

  void begin_block(std::size_t event) {
    const HistoryEvent& of = history_.events[event];
    if (live_blocks_.emplace(Place{of.segment, of.offset_bytes}, life_.blocks.size()).second) {
      life_.blocks.push_back({event});
      now_.allocated_bytes += of.size_bytes;
    }
  }

  BlockLife* find_block(std::size_t event) {
    const HistoryEvent& of = history_.events[event];
    const auto live = live_blocks_.find({of.segment, of.offset_bytes});
    return live == live_blocks_.end() ? nullptr : &life_.blocks[live->second];
  }

  void release_block(std::size_t event) {
    BlockLife* block = find_block(event);
    if (block != nullptr && block->free_requested == kNoEvent) {
      block->free_requested = event;
      now_.allocated_bytes -= history_.events[block->alloc].size_bytes;
      now_.waiting_bytes += history_.events[block->alloc].size_bytes;
    }
  }

  void end_block(std::size_t event) {
    BlockLife* block = find_block(event);
    if (block != nullptr && block->free_requested != kNoEvent) {
      block->free_completed = event;
      now_.waiting_bytes -= history_.events[block->alloc].size_bytes;
      live_blocks_.erase({history_.events[event].segment, history_.events[event].offset_bytes});
    }
  }

  const History& history_;
  const Steps& steps_;
  PoolLife life_;
  MemorySums now_;
  // Of the column that has begun.
  MemorySums greatest_;
  std::unordered_map<std::uint64_t, std::size_t> live_segments_;
  std::unordered_map<Place, std::size_t, PlaceHash> live_blocks_;
};

}  // namespace

HistoryModel model_of(const History& history, std::size_t columns) {
  HistoryModel model;
  if (history.events.empty()) {
    return model;
  }
  const std::size_t first = std::min(history.baseline_events, history.events.size() - 1);
  model.begin_ns = history.events[first].time_ns;
  model.end_ns = std::max(model.begin_ns, history.events.back().time_ns);
  const double length_ns = static_cast<double>(model.end_ns - model.begin_ns);
  const Steps steps{model.begin_ns, std::max(length_ns, 1.0) / static_cast<double>(columns),
                    columns};
  std::map<std::size_t, Follower> followers;
  for (std::size_t event = 0; event < history.events.size(); ++event) {
    const std::size_t pool = history.events[event].pool;
    followers.try_emplace(pool, history, pool, steps).first->second.follow(event);
  }
  for (auto& [pool, follower] : followers) {
    model.pools.push_back(follower.finish());
  }
  return model;
}

std::vector<BlockLife> live_at(const PoolLife& pool, std::size_t event) {
  std::vector<BlockLife> result;
  std::copy_if(pool.blocks.begin(), pool.blocks.end(), std::back_inserter(result),
               [event](const BlockLife& block) {
                 return block.alloc <= event &&
                        (block.free_requested == kNoEvent || block.free_requested > event);
               });
  return result;
}

std::vector<std::vector<std::uint64_t>> bytes_by_group(const History& history, const PoolLife& pool,
                                                       const std::vector<MemorySums>& moments,
                                                       const std::vector<std::size_t>& group_of_tag,
                                                       std::size_t groups) {
  // The first moment at which the event has happened.
  const auto moment_of = [&](std::size_t event) {
    return static_cast<std::size_t>(std::lower_bound(moments.begin(), moments.end(), event,
                                                     [](const MemorySums& moment, std::size_t at) {
                                                       return moment.event < at;
                                                     }) -
                                    moments.begin());
  };
  std::vector<std::vector<std::uint64_t>> result(groups,
                                                 std::vector<std::uint64_t>(moments.size()));
  for (const BlockLife& block : pool.blocks) {
    const HistoryEvent& alloc = history.events[block.alloc];
    std::vector<std::uint64_t>& bytes = result[group_of_tag[alloc.tag]];
    // What begins adds, and what ends takes away; unsigned sums wrap around and back.
    if (const std::size_t begin = moment_of(block.alloc); begin < moments.size()) {
      bytes[begin] += alloc.size_bytes;
    }
    if (block.free_requested != kNoEvent) {
      if (const std::size_t end = moment_of(block.free_requested); end < moments.size()) {
        bytes[end] -= alloc.size_bytes;
      }
    }
  }
  for (std::vector<std::uint64_t>& bytes : result) {
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      bytes[i] += bytes[i - 1];
    }
  }
  return result;
}

}  // namespace collet::cli
