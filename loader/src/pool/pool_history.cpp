// SPDX-License-Identifier: Apache-2.0
// What a pool tells the history of memory.
#include "history/memory_history.hpp"
#include "pool/memory_pool.hpp"

namespace collet::loader {

void Arena::record_reuse(const Buffer& buffer) const noexcept {
  // The stream that asks, which lives as long as that.
  pool.record(HistoryKind::kAlloc, *buffer.block, buffer.size_bytes, stream_id.load());
}

void Arena::record_keep(const Block& block) const noexcept {
  pool.record(HistoryKind::kFreeRequested, block, 0, nullptr);
  pool.record(HistoryKind::kFreeCompleted, block, 0, nullptr);
}

void MemoryPool::record(HistoryKind kind, const Block& block, std::uint64_t requested_bytes,
                        const StreamState* stream) const noexcept {
  if (!is_recorded_.load(std::memory_order_relaxed)) [[likely]] {
    return;
  }
  HistoryEvent event;
  event.kind = kind;
  event.pool = number_;
  event.segment = block.segment->number;
  event.offset_bytes = block.offset_bytes;
  event.size_bytes = block.size_bytes;
  event.requested_bytes = requested_bytes;
  event.tag = block.tag;
  MemoryHistory::instance().record(event, stream);
}

void MemoryPool::record_segment(HistoryKind kind, const Segment& segment) const noexcept {
  if (!is_recorded_.load(std::memory_order_relaxed)) [[likely]] {
    return;
  }
  HistoryEvent event;
  event.kind = kind;
  event.pool = number_;
  event.segment = segment.number;
  event.size_bytes = segment.size_bytes;
  MemoryHistory::instance().record(event, nullptr);
}

void MemoryPool::note_out_of_memory(const Stream& on, const Fit& fit,
                                    const BufferRequest& request) noexcept {
  const std::lock_guard lock(mutex_);
  ++out_of_memory_;
  if (is_recorded_.load(std::memory_order_relaxed)) {
    HistoryEvent event;
    event.kind = HistoryKind::kOutOfMemory;
    event.pool = number_;
    event.size_bytes = fit.size_bytes;
    event.requested_bytes = request.size_bytes;
    event.tag = request.tag;
    MemoryHistory::instance().record(event, on.state.get());
  }
}

// Of buffers that live already it is not known what they were asked for with.
void MemoryPool::record_all() const noexcept {
  for (const auto& arena : arenas_) {
    for (const Segment& segment : arena->segments()) {
      record_segment(HistoryKind::kSegmentAlloc, segment);
      for (const Block* block = segment.first; block != nullptr; block = block->next) {
        if (block->state == BlockState::kUsed || block->state == BlockState::kWaiting) {
          record(HistoryKind::kAlloc, *block, block->size_bytes, nullptr);
        }
        if (block->state == BlockState::kWaiting) {
          record(HistoryKind::kFreeRequested, *block, 0, nullptr);
        }
      }
    }
  }
}

void MemoryPool::set_recorded(bool is_recorded) noexcept {
  const AllLocked lock(*this);
  is_recorded_.store(is_recorded, std::memory_order_relaxed);
  for (const auto& arena : arenas_) {
    arena->is_recorded = is_recorded;
  }
  if (is_recorded) {
    record_all();
  }
}

}  // namespace collet::loader
