// SPDX-License-Identifier: Apache-2.0
#include "pool/arena.hpp"

#include <utility>

namespace collet::loader {
namespace {

bool is_unused(const Segment& segment) noexcept {
  return segment.first->state == BlockState::kFree && segment.first->is_whole_segment();
}

}  // namespace

StreamMark::StreamMark(const StreamState& stream) : device_(stream.device) {
  const auto& table = *device_.event;
  if (const auto status = table.create(device_.impl, 0, &event_); status != COLLET_OK) {
    throw_plugin_error(status, device_.backend_name);
  }
  if (const auto status = table.record(event_, stream.impl); status != COLLET_OK) {
    table.destroy(event_);
    throw_plugin_error(status, device_.backend_name);
  }
}

StreamMark::~StreamMark() { device_.event->destroy(event_); }

// A mark that tells of a failure is reached: what has failed runs no more.
bool StreamMark::is_reached() const noexcept {
  const bool reached = device_.event->query(event_) != COLLET_NOT_READY;
  drop_report();
  return reached;
}

bool StreamMark::wait(const Deadline& deadline) const noexcept {
  const auto status = device_.event->synchronize(event_, nanoseconds_until(deadline));
  drop_report();
  return status == COLLET_OK || (status != COLLET_ERROR_TIMEOUT && is_reached());
}

bool StreamMark::hold(const StreamState& stream) const noexcept {
  const bool held = device_.stream->wait_event(stream.impl, event_) == COLLET_OK;
  drop_report();
  return held;
}

// Cuts what is not needed off a free block that was taken from the lists, and frees it again.
Block* Arena::split(Block& block, const Fit& fit) {
  Block* used = &block;
  const auto cut = [](Block& from, std::unique_ptr<Block> rest, std::uint64_t size_bytes) {
    rest->segment = from.segment;
    rest->offset_bytes = from.offset_bytes + size_bytes;
    rest->size_bytes = from.size_bytes - size_bytes;
    rest->previous = &from;
    rest->next = from.next;
    if (from.next != nullptr) {
      from.next->previous = rest.get();
    }
    from.next = rest.get();
    from.size_bytes = size_bytes;
    return rest.release();
  };
  const std::uint64_t front_bytes = padding(block, fit.alignment_bytes);
  // Made before anything changes.
  auto front = front_bytes != 0 ? std::make_unique<Block>() : nullptr;
  auto rest =
      block.size_bytes - front_bytes != fit.size_bytes ? std::make_unique<Block>() : nullptr;
  free_.erase(block);
  if (front != nullptr) {
    used = cut(block, std::move(front), front_bytes);
    free_.insert(block);
  }
  if (rest != nullptr) {
    free_.insert(*cut(*used, std::move(rest), fit.size_bytes));
  }
  return used;
}

Block* Arena::take(const Fit& fit, const Tag* tag) {
  Block* block = free_.find(fit);
  // Kept blocks hold large ones apart: before one is cut up for want of a better fit, they go.
  const bool is_poor = block == nullptr ||
                       (fit.size_bytes > kLargestKeptBytes && block->size_bytes != fit.size_bytes);
  if (is_poor && cached_bytes_ != 0) {
    flush();
    block = free_.find(fit);
  }
  if (block == nullptr) {
    return nullptr;
  }
  block = split(*block, fit);
  block->state = BlockState::kMoving;
  block->tag = tag;
  return block;
}

void Arena::join_next(Block& block) noexcept {
  const std::unique_ptr<Block> next(block.next);
  block.size_bytes += next->size_bytes;
  block.next = next->next;
  if (block.next != nullptr) {
    block.next->previous = &block;
  }
}

Segment* Arena::put(Block& block) noexcept {
  Block* joined = &block;
  if (block.next != nullptr && block.next->state == BlockState::kFree) {
    free_.erase(*block.next);
    join_next(block);
  }
  if (block.previous != nullptr && block.previous->state == BlockState::kFree) {
    joined = block.previous;
    free_.erase(*joined);
    join_next(*joined);
  }
  free_.insert(*joined);
  return joined->is_whole_segment() ? joined->segment : nullptr;
}

void Arena::flush() noexcept {
  if (cached_bytes_ == 0) {
    return;
  }
  for (Buffer*& list : cached_) {
    while (list != nullptr) {
      Buffer* buffer = std::exchange(list, list->next_cached);
      put(*std::exchange(buffer->block, nullptr));
      loader::pool<Buffer>().destroy_alone(*buffer);
    }
  }
  cached_bytes_ = 0;
}

void Arena::add(Segment& segment) noexcept {
  segment.arena = this;
  segments_.push_back(segment);
  free_.insert(*segment.first);
}

void Arena::remove(Segment& segment) noexcept {
  free_.erase(*segment.first);
  segments_.erase(segments_.iterator_to(segment));
}

Arena::Segments Arena::remove_unused() noexcept {
  flush();
  Segments unused;
  for (auto segment = segments_.begin(); segment != segments_.end();) {
    Segment& looked_at = *segment++;
    if (is_unused(looked_at)) {
      remove(looked_at);
      unused.push_back(looked_at);
    }
  }
  return unused;
}

Segment* Arena::find_unused(std::uint64_t least_bytes) noexcept {
  if (cached_bytes_ >= least_bytes) {
    flush();
  }
  Segment* best = nullptr;
  for (Segment& segment : segments_) {
    if (is_unused(segment) && segment.size_bytes >= least_bytes &&
        (best == nullptr || segment.size_bytes < best->size_bytes)) {
      best = &segment;
    }
  }
  return best;
}

std::uint64_t Arena::largest_free_bytes() noexcept {
  flush();
  return free_.largest_bytes();
}

std::uint64_t Arena::split_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) {
    if (segment.first->is_whole_segment()) {
      continue;
    }
    for (const Block* block = segment.first; block != nullptr; block = block->next) {
      const bool is_free = block->state == BlockState::kFree || block->state == BlockState::kCached;
      sum += is_free ? block->size_bytes : 0;
    }
  }
  return sum;
}

}  // namespace collet::loader
