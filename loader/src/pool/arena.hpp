// SPDX-License-Identifier: Apache-2.0
// The memory that one stream allocates from, and releases to.
//
// Commands of a stream run in order, so that what is released on it can be allocated on it again at
// once. Streams that share nothing share no lock.
#pragma once

#include <array>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <mutex>

#include "objects.hpp"
#include "pool/block.hpp"
#include "pool/counts.hpp"
#include "pool/free_blocks.hpp"
#include "pool/lock.hpp"
#include "pool/waiting_releases.hpp"

namespace collet::loader {

class MemoryPool;

// An event of a plugin.
class StreamMark {
 public:
  // Marks the work that the stream has by now. Throws Error.
  explicit StreamMark(const StreamState& stream);
  ~StreamMark();
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;

  [[nodiscard]] bool is_reached() const noexcept;
  // False if the deadline has passed before.
  [[nodiscard]] bool wait(const Deadline& deadline) const noexcept;
  // Makes another stream wait; false if it cannot.
  [[nodiscard]] bool hold(const StreamState& stream) const noexcept;

 private:
  const Device& device_;
  collet_plugin_event_t* event_ = nullptr;
};

// All members but `mutex` and what is constant are used under `mutex`. No plugin is called there.
class Arena {
 public:
  using Segments = boost::intrusive::list<Segment, boost::intrusive::constant_time_size<false>>;

  Arena(MemoryPool& owner, std::uint64_t unit_bytes) noexcept
      : pool(owner), unit_bytes_(unit_bytes), free_(unit_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Sizes above are not kept with their buffers.
  static constexpr std::uint64_t kLargestKeptBytes = std::uint64_t{1} << 20;

  // A buffer that was kept with a block of this size, counted as used; or nullptr. `size_bytes` is
  // a multiple of the unit.
  [[nodiscard]] Buffer* reuse(std::uint64_t size_bytes, std::uint64_t requested_bytes,
                              const Tag* tag) noexcept {
    const std::uint64_t list = size_bytes / unit_bytes_;
    if (list >= kCachedSizes) {
      return nullptr;
    }
    Buffer* buffer = cached_[list];
    if (buffer == nullptr || !counts.add(requested_bytes, size_bytes)) {
      return nullptr;
    }
    cached_[list] = buffer->next_cached;
    cached_bytes_ -= size_bytes;
    buffer->size_bytes = requested_bytes;
    buffer->block->state = BlockState::kUsed;
    buffer->block->tag = tag;
    if (is_recorded) [[unlikely]] {
      record_reuse(*buffer);
    }
    return buffer;
  }

  // Keeps the released buffer for reuse; false if there are enough of them.
  [[nodiscard]] bool keep(Buffer& buffer) noexcept {
    const std::uint64_t size_bytes = buffer.block->size_bytes;
    const std::uint64_t list = size_bytes / unit_bytes_;
    if (list >= kCachedSizes || cached_bytes_ + size_bytes > cached_most_bytes) {
      return false;
    }
    counts.end_buffer(buffer.size_bytes, size_bytes);
    counts.end_block(size_bytes);
    buffer.next_cached = cached_[list];
    cached_[list] = &buffer;
    cached_bytes_ += size_bytes;
    buffer.block->state = BlockState::kCached;
    if (is_recorded) [[unlikely]] {
      record_keep(*buffer.block);
    }
    return true;
  }

  // A block on its way to a buffer, or nullptr. Throws bad_alloc.
  [[nodiscard]] Block* take(const Fit& fit, const Tag* tag);
  // Makes a block free, and joins it with free neighbours. Returns its segment if that is all free.
  Segment* put(Block& block) noexcept;

  // Whether it is this stream's own.
  [[nodiscard]] bool is_of(const StreamState& other) const noexcept {
    return stream_id.load(std::memory_order_acquire) == &other;
  }

  // Gives the kept blocks to the free ones.
  void flush() noexcept;

  // `first` is the segment's only block, and free.
  void add(Segment& segment) noexcept;
  // Takes a segment out that has no used block.
  void remove(Segment& segment) noexcept;
  // Takes out all that have no used block.
  [[nodiscard]] Segments remove_unused() noexcept;
  // The smallest that has no used block and at least this size, or nullptr. It stays.
  [[nodiscard]] Segment* find_unused(std::uint64_t least_bytes) noexcept;

  [[nodiscard]] std::uint64_t largest_free_bytes() noexcept;
  // Free bytes of segments that have used blocks too.
  [[nodiscard]] std::uint64_t split_bytes() const noexcept;
  [[nodiscard]] const Segments& segments() const noexcept { return segments_; }

  MemoryPool& pool;
  mutable Lock mutex;
  ArenaCounts counts;
  // How often memory of the plugin's pool was freed in the order of the stream, and up to which of
  // these the stream is known to have come.
  std::uint64_t native_frees = 0;
  std::uint64_t settled_native_frees = 0;
  // 0: nothing is kept with its buffer.
  std::uint64_t cached_most_bytes = kCachedBytes;
  // Whether there is a history of what happens here.
  bool is_recorded = false;

  // Whose memory it is. Expired already while the stream ends.
  std::weak_ptr<StreamState> stream;
  // Which that is, for comparison; nullptr once it has ended. Written under the lock.
  std::atomic<const StreamState*> stream_id{nullptr};
  // The last work of a stream that ended; nullptr if that is complete.
  std::shared_ptr<const StreamMark> last_work;

 private:
  static constexpr std::uint64_t kCachedSizes = kLargestKeptBytes / kLeastUnitBytes + 1;
  // What is kept is not joined with its neighbours, so that there is a limit to it.
  static constexpr std::uint64_t kCachedBytes = std::uint64_t{32} << 20;

  void record_reuse(const Buffer& buffer) const noexcept;
  void record_keep(const Block& block) const noexcept;
  Block* split(Block& block, const Fit& fit);
  void join_next(Block& block) noexcept;

  const std::uint64_t unit_bytes_;
  std::uint64_t cached_bytes_ = 0;
  std::array<Buffer*, kCachedSizes> cached_{};
  FreeBlocks free_;
  Segments segments_;
};

}  // namespace collet::loader
