// SPDX-License-Identifier: Apache-2.0
// What the pools of the process did, event by event; see collet/memory_history.h.
//
// A pool records under the lock of the arena, so that the events of a block are in their order. It
// asks the arena first whether there is a history at all, which is all that it costs when there is
// none.
#pragma once

#include <collet/memory.h>
#include <collet/memory_history.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "history/stack_table.hpp"
#include "pool/tag.hpp"

namespace collet::loader {

class MemoryPool;
struct StreamState;

enum class HistoryKind : std::uint8_t {
  kSegmentAlloc,   // the pool has taken memory from the device
  kSegmentFree,    // and given it back
  kAlloc,          // a buffer begins
  kFreeRequested,  // its last reference is gone
  kFreeCompleted,  // no stream uses it any more
  kOutOfMemory     // an allocation has failed
};

struct HistoryEvent {
  std::int64_t time_ns = 0;
  // Where the memory is: a segment of a pool, by number, and the place in it.
  std::uint64_t segment = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  // What was asked for; of kAlloc and kOutOfMemory.
  std::uint64_t requested_bytes = 0;
  const Tag* tag = nullptr;
  std::uint32_t pool = 0;
  // Number of the stream; 0: none.
  std::uint32_t stream = 0;
  // Number of the stack; 0: none.
  std::uint32_t stack = 0;
  HistoryKind kind = HistoryKind::kAlloc;
};

struct HistoryPool {
  std::string device;
  std::string device_name;
  std::string allocator;
  collet_memory_kind_t kind = COLLET_MEMORY_DEVICE;
};

struct HistoryStream {
  std::string device;
  std::string label;
};

// All of a history at one moment.
struct HistorySnapshot {
  std::vector<HistoryPool> pools;
  std::unordered_map<std::uint32_t, HistoryStream> streams;
  std::vector<Stack> stacks;
  // What the forgotten events left, as events.
  std::vector<HistoryEvent> baseline;
  std::deque<HistoryEvent> events;
  std::uint64_t forgotten_events = 0;
  // For want of the host's memory.
  std::uint64_t lost_events = 0;
  std::chrono::system_clock::time_point started;
};

class MemoryHistory {
 public:
  static MemoryHistory& instance();

  // A pool that is to be recorded. Returns its number.
  std::uint32_t add(MemoryPool& pool, HistoryPool description);
  void remove(MemoryPool& pool) noexcept;

  void start(bool with_stacks, std::uint64_t capacity_events);
  void stop() noexcept;
  [[nodiscard]] HistorySnapshot snapshot() const;

  // Adds time and stack. `stream` may be nullptr.
  void record(HistoryEvent event, const StreamState* stream) noexcept;

 private:
  struct Place {
    std::uint32_t pool;
    std::uint64_t segment;
    std::uint64_t offset_bytes;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept;
  };
  // What forgotten events left.
  struct Left {
    HistoryEvent alloc;
    // Released, and not free yet.
    bool is_released = false;
    HistoryEvent release;
  };

  void clear() noexcept;
  void forget_oldest();
  void set_recorded(bool is_recorded) noexcept;

  // Taken before the locks of pools.
  std::mutex pools_mutex_;
  std::vector<MemoryPool*> pools_;
  bool is_on_ = false;

  // Taken below the locks of pools.
  mutable std::mutex mutex_;
  std::vector<HistoryPool> descriptions_;
  bool with_stacks_ = false;
  std::uint64_t capacity_events_ = 0;
  std::chrono::system_clock::time_point started_;
  std::int64_t started_ns_ = 0;
  std::unordered_map<std::uint32_t, HistoryStream> streams_;
  StackTable stacks_;
  std::deque<HistoryEvent> events_;
  std::unordered_map<Place, HistoryEvent, PlaceHash> segments_left_;
  std::unordered_map<Place, Left, PlaceHash> blocks_left_;
  std::uint64_t forgotten_events_ = 0;
  std::uint64_t lost_events_ = 0;
};

}  // namespace collet::loader
