// SPDX-License-Identifier: Apache-2.0
// Memory of one kind, of one allocator: an arena for each stream, and what they share.
//
// A buffer that its own arena cannot serve is looked for in this order: the arena again after
// releases have been polled, a segment or a block of a stream that is at rest, a new segment, a
// block of a busy stream for which the asking one is made to wait, then, after unused segments were
// given back and releases were waited for, all of that again.
#pragma once

#include <collet/memory.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "history/memory_history.hpp"
#include "pool/arena.hpp"
#include "pool/counts.hpp"
#include "pool/memory_settings.hpp"
#include "pool/segment_source.hpp"
#include "pool/tag.hpp"
#include "pool/waiting_releases.hpp"

namespace collet::loader {

class DeviceMemory;

struct BufferRequest {
  std::uint64_t size_bytes = 0;
  // 0: the device's own.
  std::uint64_t alignment_bytes = 0;
  const Tag* tag = nullptr;
  Deadline deadline = Deadline::max();
};

// Why a pool did not grow.
struct Refusal {
  // The limit that was hit; 0: it was the device, in the words of `reason`.
  std::uint64_t limit_bytes = 0;
  std::string reason;
  std::int64_t native_code = 0;
  std::string native_name;
};

// A count of what changes seldom, under the pool's lock.
struct Count {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
  std::uint64_t total = 0;

  void add(std::uint64_t amount) noexcept {
    current += amount;
    total += amount;
    peak = std::max(peak, current);
  }
};

// What a pool has at one moment; all numbers belong together.
struct PoolSnapshot {
  Measures current{};
  Measures peak{};
  Measures total{};
  Count reserved;
  Count segments;
  // Free, in segments that have used blocks too.
  std::uint64_t split_bytes = 0;
  std::uint64_t largest_free_bytes = 0;
  std::uint64_t retries = 0;
  std::uint64_t out_of_memory = 0;
  std::uint64_t limit_bytes = UINT64_MAX;
};

// Taken by the thread that frees or waits because memory has run out.
struct Pressure {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_taken = false;
};

class MemoryPool {
 public:
  MemoryPool(DeviceMemory& owner, Device& device, collet_memory_kind_t kind,
             const MemorySettings& settings, std::uint64_t limit_bytes, SegmentSource source,
             const std::string& allocator_name);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] collet_memory_kind_t kind() const noexcept { return kind_; }
  [[nodiscard]] const MemorySettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const SegmentSource& source() const noexcept { return source_; }
  // What a buffer of this size takes.
  [[nodiscard]] std::uint64_t rounded(std::uint64_t size_bytes) const noexcept {
    return settings_.rounded(size_bytes, unit_bytes_);
  }

  // The arena of a stream; made at its first use.
  Arena& arena_of(const std::shared_ptr<StreamState>& stream);

  // A new buffer with one reference. `home` is the stream's arena. Throws Error.
  collet_buffer_t* allocate(const Stream& on, Arena& home, const BufferRequest& request);

  // Takes the block of a buffer that ends; its other streams may still use it.
  void release(Buffer& buffer) noexcept;
  // Takes a block that no stream uses any more, apart from its arena's.
  void take_back(Block& block) noexcept;

  // Gives unused segments back to the device; those of busy streams once their work is complete, if
  // that is before the deadline. Returns how many bytes that were.
  std::uint64_t trim(const Deadline& deadline) noexcept;

  void set_limit(std::uint64_t limit_bytes) noexcept;

  // Nothing is kept with its buffer any more.
  void close() noexcept;

  // The stream has ended; `last_work` is nullptr if its work is complete.
  void leave(const StreamState& stream,
             const std::shared_ptr<const StreamMark>& last_work) noexcept;

  [[nodiscard]] PoolSnapshot snapshot() noexcept;
  void reset_peaks() noexcept;
  // Bytes of live buffers by tag, the greatest first.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> users() const;
  // Whether neither it nor the plugin's pool, on behalf of it, holds memory of the device.
  [[nodiscard]] bool is_empty() const noexcept;

  // Turns the history on or off. What there is is recorded first, as if it came now.
  void set_recorded(bool is_recorded) noexcept;
  void record(HistoryKind kind, const Block& block, std::uint64_t requested_bytes,
              const StreamState* stream) const noexcept;

 private:
  friend class Search;

  struct Place {
    Arena* arena = nullptr;
    Block* block = nullptr;
  };

  // All locks: what is read or counted under them is consistent.
  class AllLocked {
   public:
    explicit AllLocked(const MemoryPool& pool) noexcept;
    ~AllLocked();
    AllLocked(const AllLocked&) = delete;
    AllLocked& operator=(const AllLocked&) = delete;

   private:
    const MemoryPool& pool_;
  };

  collet_buffer_t* make_buffer(const Stream& on, Arena& home, const Place& place,
                               const BufferRequest& request);
  // Makes a block free that is not counted.
  void put_back(Arena& arena, Block& block) noexcept;
  // The block of a place becomes a buffer's.
  void count(const Place& place, const Stream& on, std::uint64_t requested_bytes) noexcept;
  void share_allowances(Arena& asking) noexcept;
  [[nodiscard]] Measures sums() const noexcept;
  // What every block is aligned to.
  [[nodiscard]] std::uint64_t block_alignment_bytes() const noexcept {
    return std::min(alignment_bytes_, unit_bytes_);
  }

  [[nodiscard]] Arena* find_arena(const StreamState& stream) const noexcept;
  [[nodiscard]] Arena* inherit_arena(const std::shared_ptr<StreamState>& stream);
  // The arenas but this one. None is ever destroyed before the pool.
  [[nodiscard]] std::vector<Arena*> others(const Arena* arena) const;
  void free_segments(Arena::Segments& segments) noexcept;
  std::uint64_t trim(Arena& arena, const Deadline& deadline) noexcept;
  // Whether the stream has come, at the deadline, to what was freed in its order, and had not at
  // the last call.
  [[nodiscard]] static bool settle_native(Arena& arena, const Deadline& deadline) noexcept;
  // A block of a new segment, on its way to a buffer; or nullptr with the reason why the limit or
  // the device does not let it be.
  [[nodiscard]] Block* grow(Arena& arena, const Fit& fit, const Tag* tag, Refusal& refusal);
  [[nodiscard]] std::unique_ptr<Segment> new_segment(const Arena& arena, std::uint64_t size_bytes,
                                                     std::uint64_t alignment_bytes,
                                                     Refusal& refusal);
  [[nodiscard]] std::uint64_t exact_segment_bytes(const Fit& fit) const noexcept;
  // Whether a new segment would make the pool greater than it ever was.
  [[nodiscard]] bool raises_peak(const Fit& fit) const noexcept;
  void note_retry() noexcept;
  void note_out_of_memory(const Stream& on, const Fit& fit, const BufferRequest& request) noexcept;
  void record_segment(HistoryKind kind, const Segment& segment) const noexcept;
  void record_all() const noexcept;
  [[nodiscard]] bool reserve(std::uint64_t size_bytes, Refusal& refusal) noexcept;
  void unreserve(std::uint64_t size_bytes) noexcept;

  DeviceMemory& owner_;
  Device& device_;
  const collet_memory_kind_t kind_;
  const MemorySettings settings_;
  const collet_memory_traits_t& traits_;
  const std::uint64_t unit_bytes_;
  // What the start of each segment is aligned to, at least.
  const std::uint64_t alignment_bytes_;
  const SegmentSource source_;
  // In the history of memory.
  std::uint32_t number_ = 0;

  std::atomic<std::uint64_t> next_segment_{0};
  Pressure pressure_;

  // Taken before the mutex of an arena. The plugin is not called there.
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> arenas_;
  std::uint64_t limit_bytes_;
  Measures peak_{};
  Count reserved_;
  Count segments_;
  std::uint64_t retries_ = 0;
  std::uint64_t out_of_memory_ = 0;
  // Also read without the lock.
  std::atomic<bool> is_recorded_{false};
};

// Whether no work uses what is free in the arena: what its stream has been given by now is
// complete, at the deadline.
[[nodiscard]] bool is_at_rest(Arena& arena, const Deadline& deadline) noexcept;

}  // namespace collet::loader
