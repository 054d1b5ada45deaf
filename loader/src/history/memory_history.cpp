// SPDX-License-Identifier: Apache-2.0
#include "history/memory_history.hpp"

#include <algorithm>
#include <utility>

#include "objects.hpp"
#include "pool/memory_pool.hpp"

namespace collet::loader {
namespace {

constexpr std::uint64_t kDefaultEvents = std::uint64_t{1} << 20;

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

MemoryHistory& MemoryHistory::instance() {
  // Never destroyed: memory may be released by static destructors.
  static MemoryHistory& history = *new MemoryHistory;
  return history;
}

std::size_t MemoryHistory::PlaceHash::operator()(const Place& place) const noexcept {
  std::size_t hash = place.pool;
  boost::hash_combine(hash, place.segment);
  boost::hash_combine(hash, place.offset_bytes);
  return hash;
}

std::uint32_t MemoryHistory::add(MemoryPool& pool, HistoryPool description) {
  const std::lock_guard lock(pools_mutex_);
  pools_.push_back(&pool);
  std::uint32_t number = 0;
  {
    const std::lock_guard data_lock(mutex_);
    number = static_cast<std::uint32_t>(descriptions_.size());
    descriptions_.push_back(std::move(description));
  }
  if (is_on_) {
    pool.set_recorded(true);
  }
  return number;
}

void MemoryHistory::remove(MemoryPool& pool) noexcept {
  const std::lock_guard lock(pools_mutex_);
  pools_.erase(std::remove(pools_.begin(), pools_.end(), &pool), pools_.end());
}

void MemoryHistory::clear() noexcept {
  streams_.clear();
  stacks_.clear();
  events_.clear();
  segments_left_.clear();
  blocks_left_.clear();
  forgotten_events_ = 0;
  lost_events_ = 0;
}

void MemoryHistory::set_recorded(bool is_recorded) noexcept {
  is_on_ = is_recorded;
  for (MemoryPool* pool : pools_) {
    pool->set_recorded(is_recorded);
  }
}

void MemoryHistory::start(bool with_stacks, std::uint64_t capacity_events) {
  const std::lock_guard lock(pools_mutex_);
  set_recorded(false);
  {
    const std::lock_guard data_lock(mutex_);
    clear();
    with_stacks_ = with_stacks;
    capacity_events_ = capacity_events == 0 ? kDefaultEvents : capacity_events;
    started_ = std::chrono::system_clock::now();
    started_ns_ = now_ns();
    if (with_stacks_) {
      // The first stack loads a library, which is not for the lock of an arena.
      stacks_.add_current();
    }
  }
  set_recorded(true);
}

void MemoryHistory::stop() noexcept {
  const std::lock_guard lock(pools_mutex_);
  set_recorded(false);
}

void MemoryHistory::forget_oldest() {
  const HistoryEvent oldest = events_.front();
  const Place place{oldest.pool, oldest.segment, oldest.offset_bytes};
  switch (oldest.kind) {
    case HistoryKind::kSegmentAlloc:
      segments_left_[place] = oldest;
      break;
    case HistoryKind::kSegmentFree:
      segments_left_.erase(place);
      break;
    case HistoryKind::kAlloc:
      blocks_left_[place] = {oldest, false, {}};
      break;
    case HistoryKind::kFreeRequested:
      if (const auto left = blocks_left_.find(place); left != blocks_left_.end()) {
        left->second.is_released = true;
        left->second.release = oldest;
      }
      break;
    case HistoryKind::kFreeCompleted:
      blocks_left_.erase(place);
      break;
    case HistoryKind::kOutOfMemory:
      break;
  }
  events_.pop_front();
  ++forgotten_events_;
}

void MemoryHistory::record(HistoryEvent event, const StreamState* stream) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    event.time_ns = now_ns() - started_ns_;
    if (with_stacks_) {
      event.stack = stacks_.add_current();
    }
    if (stream != nullptr) {
      event.stream = stream->number;
      if (streams_.find(stream->number) == streams_.end()) {
        streams_.emplace(stream->number,
                         HistoryStream{stream->device.properties.id, stream->label});
      }
    }
    if (events_.size() == capacity_events_) {
      forget_oldest();
    }
    events_.push_back(event);
  } catch (...) {
    // A history is no reason to refuse memory.
    ++lost_events_;
  }
}

HistorySnapshot MemoryHistory::snapshot() const {
  const std::lock_guard lock(mutex_);
  HistorySnapshot result{descriptions_, streams_,          stacks_.stacks(), {},
                         events_,       forgotten_events_, lost_events_,     started_};
  for (const auto& [place, segment] : segments_left_) {
    result.baseline.push_back(segment);
  }
  for (const auto& [place, left] : blocks_left_) {
    result.baseline.push_back(left.alloc);
    if (left.is_released) {
      result.baseline.push_back(left.release);
    }
  }
  std::stable_sort(result.baseline.begin(), result.baseline.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  return result;
}

}  // namespace collet::loader
