// SPDX-License-Identifier: Apache-2.0
#include "pool/memory_pool.hpp"

#include <algorithm>
#include <utility>

#include "dispatch.hpp"
#include "layers/buffer_watch.hpp"
#include "pool/device_memory.hpp"
#include "pool/search.hpp"

namespace collet::loader {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::uint64_t round_up(std::uint64_t size, std::uint64_t step) noexcept {
  return (size + step - 1) / step * step;
}

// Small buffers share a segment, and so do those of medium size. Host memory is dearer, so that a
// segment of it exceeds a large buffer by an eighth at most.
std::uint64_t segment_bytes(collet_memory_kind_t kind, std::uint64_t size_bytes) noexcept {
  if (size_bytes <= kMiB) {
    return 2 * kMiB;
  }
  if (kind != COLLET_MEMORY_DEVICE) {
    return round_up(size_bytes, std::bit_floor(size_bytes) / 8);
  }
  return size_bytes < 10 * kMiB ? 20 * kMiB : round_up(size_bytes, 2 * kMiB);
}

}  // namespace

bool is_at_rest(Arena& arena, const Deadline& deadline) noexcept {
  // What the host writes to is free only when no stream uses it any more.
  if (arena.pool.kind() != COLLET_MEMORY_DEVICE) {
    return true;
  }
  std::shared_ptr<StreamState> stream;
  std::shared_ptr<const StreamMark> last_work;
  {
    const std::lock_guard lock(arena.mutex);
    if (arena.stream_id == nullptr) {
      last_work = arena.last_work;
    } else if (stream = arena.stream.lock(); stream == nullptr) {
      return false;
    }
  }
  if (stream == nullptr) {
    return last_work == nullptr || last_work->is_reached() ||
           (deadline != kNow && last_work->wait(deadline));
  }
  const auto status = stream->device.stream->query(stream->impl);
  drop_report();
  if (status != COLLET_NOT_READY) {
    return true;
  }
  if (deadline == kNow) {
    return false;
  }
  try {
    return StreamMark(*stream).wait(deadline);
  } catch (const Error&) {
    return false;
  }
}

MemoryPool::MemoryPool(DeviceMemory& owner, Device& device, collet_memory_kind_t kind,
                       const MemorySettings& settings, std::uint64_t limit_bytes,
                       SegmentSource source, const std::string& allocator_name)
    : owner_(owner),
      device_(device),
      kind_(kind),
      settings_(settings),
      traits_(device.traits[kind]),
      unit_bytes_(std::max(kLeastUnitBytes, std::bit_ceil(traits_.offset_alignment_bytes))),
      alignment_bytes_(
          std::min(std::max(traits_.alignment_bytes, unit_bytes_), traits_.max_alignment_bytes)),
      source_(std::move(source)),
      limit_bytes_(limit_bytes) {
  number_ = MemoryHistory::instance().add(
      *this, {device.properties.id, device.properties.name, allocator_name, kind});
}

MemoryPool::~MemoryPool() { MemoryHistory::instance().remove(*this); }

Arena* MemoryPool::find_arena(const StreamState& stream) const noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& arena : arenas_) {
    if (arena->is_of(stream)) {
      return arena.get();
    }
  }
  return nullptr;
}

// Takes over an arena whose stream has ended, and with it all its work.
Arena* MemoryPool::inherit_arena(const std::shared_ptr<StreamState>& stream) {
  for (Arena* arena : others(nullptr)) {
    std::shared_ptr<const StreamMark> last_work;
    {
      const std::lock_guard lock(arena->mutex);
      if (arena->stream_id != nullptr) {
        continue;
      }
      last_work = arena->last_work;
    }
    if (last_work != nullptr && !last_work->is_reached()) {
      continue;
    }
    const std::lock_guard lock(arena->mutex);
    // Unless another stream has been here meanwhile.
    if (arena->stream_id == nullptr && arena->last_work == last_work) {
      arena->stream = stream;
      arena->stream_id = stream.get();
      arena->last_work = nullptr;
      return arena;
    }
  }
  return nullptr;
}

Arena& MemoryPool::arena_of(const std::shared_ptr<StreamState>& stream) {
  if (Arena* arena = find_arena(*stream)) {
    return *arena;
  }
  if (Arena* arena = inherit_arena(stream)) {
    return *arena;
  }
  auto arena = std::make_unique<Arena>(*this, unit_bytes_);
  arena->stream = stream;
  arena->stream_id = stream.get();
  if (settings_.pool != PoolMode::kOn) {
    arena->cached_most_bytes = 0;
  }
  const std::lock_guard lock(mutex_);
  arena->is_recorded = is_recorded_;
  arenas_.push_back(std::move(arena));
  return *arenas_.back();
}

std::vector<Arena*> MemoryPool::others(const Arena* arena) const {
  std::vector<Arena*> result;
  const std::lock_guard lock(mutex_);
  result.reserve(arenas_.size());
  for (const auto& other : arenas_) {
    if (other.get() != arena) {
      result.push_back(other.get());
    }
  }
  return result;
}

collet_buffer_t* MemoryPool::allocate(const Stream& on, Arena& home, const BufferRequest& request) {
  const std::uint64_t size_bytes = rounded(request.size_bytes);
  const bool is_ordinary = request.alignment_bytes <= block_alignment_bytes();
  if (is_ordinary) {
    Buffer* buffer = nullptr;
    {
      const std::lock_guard lock(home.mutex);
      buffer = home.reuse(size_bytes, request.size_bytes, request.tag);
    }
    if (buffer != nullptr) {
      return revive_handle(*buffer);
    }
  }
  const Fit fit{size_bytes, is_ordinary ? 1 : request.alignment_bytes, settings_.max_split_bytes};
  return make_buffer(on, home, Search(*this, on, home, fit, request).run(), request);
}

collet_buffer_t* MemoryPool::make_buffer(const Stream& on, Arena& home, const Place& place,
                                         const BufferRequest& request) {
  collet_buffer_t* handle = nullptr;
  try {
    std::unique_ptr<UsedBlock> used;
    // The block goes back to where it is from, which does not know the order of this stream; or to
    // the device, which knows none; or to the host, which writes to it at once.
    if (place.arena != &home || settings_.pool == PoolMode::kOff || kind_ != COLLET_MEMORY_DEVICE) {
      used = std::make_unique<UsedBlock>();
      used->add(on.state);
    }
    create_handle<Buffer>(&handle, device_, kind_, *place.block, request.size_bytes,
                          std::max(block_alignment_bytes(), request.alignment_bytes),
                          std::move(used));
  } catch (...) {
    put_back(*place.arena, *place.block);
    throw;
  }
  count(place, on, request.size_bytes);
  if (device_.watch != nullptr) {
    device_.watch->allocated(
        {place.block->segment->memory, place.block->offset_bytes, request.size_bytes}, kind_,
        request.tag);
  }
  return handle;
}

void MemoryPool::release(Buffer& buffer) noexcept {
  Block& block = *buffer.block;
  Arena& arena = *block.segment->arena;
  if (device_.watch != nullptr) {
    device_.watch->released({buffer.memory, buffer.offset_bytes, buffer.size_bytes}, *buffer.used);
  }
  {
    const std::lock_guard lock(arena.mutex);
    arena.counts.end_buffer(buffer.size_bytes, block.size_bytes);
    block.state = BlockState::kWaiting;
    record(HistoryKind::kFreeRequested, block, 0, nullptr);
  }
  DeviceMemory& owner = owner_;
  std::unique_ptr<UsedBlock> used = std::move(buffer.used);
  if (used == nullptr || owner.waiting().is_settled(used, block)) {
    take_back(block);
  }
  // This pool may end here, if it was closed.
  owner.poll();
}

void MemoryPool::take_back(Block& block) noexcept {
  // A segment with a block that is not free stays with its arena.
  Arena& arena = *block.segment->arena;
  {
    const std::lock_guard lock(arena.mutex);
    arena.counts.end_block(block.size_bytes);
    block.state = BlockState::kMoving;
    record(HistoryKind::kFreeCompleted, block, 0, nullptr);
  }
  put_back(arena, block);
}

void MemoryPool::put_back(Arena& arena, Block& block) noexcept {
  Segment* unused = nullptr;
  {
    const std::lock_guard lock(arena.mutex);
    unused = arena.put(block);
    if (settings_.pool == PoolMode::kOn || unused == nullptr) {
      return;
    }
    arena.remove(*unused);
  }
  Arena::Segments segments;
  segments.push_back(*unused);
  free_segments(segments);
}

void MemoryPool::free_segments(Arena::Segments& segments) noexcept {
  while (!segments.empty()) {
    const std::unique_ptr<Segment> segment(&segments.front());
    const std::unique_ptr<Block> block(segment->first);
    segments.pop_front();
    record_segment(HistoryKind::kSegmentFree, *segment);
    source_.free(*segment);
    if (source_.is_native()) {
      const std::lock_guard lock(segment->arena->mutex);
      ++segment->arena->native_frees;
    }
    unreserve(segment->size_bytes);
  }
}

std::uint64_t MemoryPool::trim(Arena& arena, const Deadline& deadline) noexcept {
  Arena::Segments unused;
  {
    const std::lock_guard lock(arena.mutex);
    unused = arena.remove_unused();
  }
  if (unused.empty()) {
    return 0;
  }
  if (!is_at_rest(arena, deadline)) {
    const std::lock_guard lock(arena.mutex);
    while (!unused.empty()) {
      Segment& segment = unused.front();
      unused.pop_front();
      arena.add(segment);
    }
    return 0;
  }
  std::uint64_t freed_bytes = 0;
  for (const Segment& segment : unused) {
    freed_bytes += segment.size_bytes;
  }
  free_segments(unused);
  return freed_bytes;
}

bool MemoryPool::settle_native(Arena& arena, const Deadline& deadline) noexcept {
  std::uint64_t frees = 0;
  {
    const std::lock_guard lock(arena.mutex);
    frees = arena.native_frees;
    if (frees == arena.settled_native_frees) {
      return false;
    }
  }
  if (!is_at_rest(arena, deadline)) {
    return false;
  }
  const std::lock_guard lock(arena.mutex);
  arena.settled_native_frees = std::max(arena.settled_native_frees, frees);
  return true;
}

std::uint64_t MemoryPool::trim(const Deadline& deadline) noexcept {
  std::uint64_t freed_bytes = 0;
  bool is_native_free = false;
  // Arenas are only added, at the end, and never destroyed before the pool.
  for (std::size_t i = 0;; ++i) {
    Arena* arena = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (i == arenas_.size()) {
        break;
      }
      arena = arenas_[i].get();
    }
    freed_bytes += trim(*arena, deadline);
    is_native_free = settle_native(*arena, deadline) || is_native_free;
  }
  return is_native_free ? source_.trim_native() : freed_bytes;
}

bool MemoryPool::reserve(std::uint64_t size_bytes, Refusal& refusal) noexcept {
  const std::lock_guard lock(mutex_);
  if (size_bytes > limit_bytes_ || reserved_.current > limit_bytes_ - size_bytes) {
    refusal = {limit_bytes_, {}, 0, {}};
    return false;
  }
  reserved_.add(size_bytes);
  segments_.add(1);
  return true;
}

void MemoryPool::unreserve(std::uint64_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  reserved_.current -= size_bytes;
  segments_.current -= 1;
}

std::unique_ptr<Segment> MemoryPool::new_segment(const Arena& arena, std::uint64_t size_bytes,
                                                 std::uint64_t alignment_bytes, Refusal& refusal) {
  auto first = std::make_unique<Block>();
  auto segment = std::make_unique<Segment>();
  segment->size_bytes = first->size_bytes = size_bytes;
  segment->alignment_bytes = alignment_bytes;
  first->segment = segment.get();
  if (source_.is_native()) {
    const std::lock_guard lock(arena.mutex);
    segment->stream = arena.stream.lock();
  }
  if (!reserve(size_bytes, refusal)) {
    return nullptr;
  }
  collet_status_t status = COLLET_OK;
  try {
    status = source_.allocate(*segment);
  } catch (...) {
    unreserve(size_bytes);
    throw;
  }
  if (status != COLLET_OK) {
    unreserve(size_bytes);
    const Error error = plugin_error(status, device_.backend_name);
    if (status != COLLET_ERROR_OUT_OF_DEVICE_MEMORY) {
      throw Error(error);
    }
    refusal = {0, error.message(), error.native_code(), error.native_name()};
    return nullptr;
  }
  segment->first = first.release();
  segment->number = next_segment_.fetch_add(1, std::memory_order_relaxed);
  return segment;
}

std::uint64_t MemoryPool::exact_segment_bytes(const Fit& fit) const noexcept {
  return round_up(fit.size_bytes, std::max(unit_bytes_, traits_.granularity_bytes));
}

bool MemoryPool::raises_peak(const Fit& fit) const noexcept {
  const std::lock_guard lock(mutex_);
  return reserved_.current + exact_segment_bytes(fit) > reserved_.peak;
}

Block* MemoryPool::grow(Arena& arena, const Fit& fit, const Tag* tag, Refusal& refusal) {
  const std::uint64_t exact_bytes = exact_segment_bytes(fit);
  const std::uint64_t alignment_bytes = std::max(alignment_bytes_, fit.alignment_bytes);
  const std::uint64_t wanted_bytes = segment_bytes(kind_, exact_bytes);
  std::unique_ptr<Segment> segment;
  if (settings_.pool == PoolMode::kOn && wanted_bytes <= traits_.max_allocation_bytes) {
    segment = new_segment(arena, wanted_bytes, alignment_bytes, refusal);
  }
  if (segment == nullptr) {
    segment = new_segment(arena, exact_bytes, alignment_bytes, refusal);
  }
  if (segment == nullptr) {
    return nullptr;
  }
  const std::lock_guard lock(arena.mutex);
  record_segment(HistoryKind::kSegmentAlloc, *segment);
  arena.add(*segment.release());
  return arena.take(fit, tag);
}

void MemoryPool::note_retry() noexcept {
  const std::lock_guard lock(mutex_);
  ++retries_;
}

void MemoryPool::set_limit(std::uint64_t limit_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  limit_bytes_ = limit_bytes;
}

bool MemoryPool::is_empty() const noexcept {
  const std::lock_guard lock(mutex_);
  return reserved_.current == 0 &&
         std::all_of(arenas_.begin(), arenas_.end(), [](const auto& arena) {
           const std::lock_guard arena_lock(arena->mutex);
           return arena->native_frees == arena->settled_native_frees;
         });
}

void MemoryPool::close() noexcept {
  const AllLocked lock(*this);
  for (const auto& arena : arenas_) {
    arena->cached_most_bytes = 0;
  }
}

void MemoryPool::leave(const StreamState& stream,
                       const std::shared_ptr<const StreamMark>& last_work) noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& arena : arenas_) {
    const std::lock_guard arena_lock(arena->mutex);
    if (arena->stream_id == &stream) {
      arena->stream.reset();
      arena->stream_id = nullptr;
      arena->last_work = last_work;
    }
  }
}

}  // namespace collet::loader
