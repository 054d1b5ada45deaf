// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include <collet/sdk/plugin.hpp>
#include <memory>
#include <utility>

#include "device.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::sim {
namespace {

using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

/** Memory of the pool. */
class PooledMemory final : public Memory {
 public:
  PooledMemory(Stream& stream, std::uint64_t size_bytes, std::uint64_t alignment_bytes)
      : Memory(stream.device()),
        range_(device_.memory_pool().allocate(stream, size_bytes, alignment_bytes)) {
    data_ = device_.arena().device_address(range_.front().block);
  }

  void free_in_order_of(Stream& stream) noexcept {
    device_.memory_pool().free(std::move(range_), stream);
  }

  [[nodiscard]] std::byte* native_pointer() const noexcept override {
    return device_.arena().host_address(range_.front().block);
  }
  [[nodiscard]] bool is_host_memory() const noexcept override { return false; }

 private:
  MemoryPool::Owned range_;
};

collet_status_t allocate(collet_plugin_stream_t* stream, std::uint64_t size_bytes,
                         std::uint64_t alignment_bytes, collet_plugin_memory_t** out_memory) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    static_cast<void>(on.device().note_call(Kind::kAllocate));
    Memory* const memory = new PooledMemory(on, size_bytes, alignment_bytes);
    *out_memory = to_handle(memory);
    on.device().counters().count({Kind::kAllocate});
  });
}

void free_memory(collet_plugin_memory_t* memory, collet_plugin_stream_t* stream) {
  const std::unique_ptr<PooledMemory> owned(
      static_cast<PooledMemory*>(from_handle<Memory>(memory)));
  owned->free_in_order_of(*from_handle<Stream>(stream));
}

collet_status_t trim(collet_plugin_device_t* device, std::uint64_t* out_released_bytes) {
  return guarded([&] { *out_released_bytes = from_handle<Device>(device)->memory_pool().trim(); });
}

collet_status_t info(collet_plugin_device_t* device, std::uint64_t* out_reserved_bytes,
                     std::uint64_t* out_used_bytes) {
  return guarded([&] {
    const MemoryPool::Info now = from_handle<Device>(device)->memory_pool().info();
    *out_reserved_bytes = now.reserved_bytes;
    *out_used_bytes = now.used_bytes;
  });
}

constexpr collet_plugin_pool_interface_t kTable = {
    sizeof(collet_plugin_pool_interface_t), 0, allocate, free_memory, trim, info};

}  // namespace

MemoryPool::MemoryPool(Device& device) noexcept : device_(device) {}

MemoryPool::~MemoryPool() = default;

MemoryPool::Owned MemoryPool::take(const Stream& stream, std::uint64_t least_bytes,
                                   std::uint64_t most_bytes,
                                   std::uint64_t alignment_bytes) noexcept {
  auto best = freed_.end();
  for (auto range = freed_.begin(); range != freed_.end(); ++range) {
    const BlockList::Block& block = *range->block;
    const bool fits = block.size_bytes >= least_bytes && block.size_bytes <= most_bytes &&
                      (block.offset_bytes & (alignment_bytes - 1)) == 0;
    const bool is_better = best == freed_.end() || block.size_bytes < best->block->size_bytes;
    if (fits && is_better &&
        (range->stream.get() == &stream || range->stream->reached(range->ticket))) {
      best = range;
    }
  }
  Owned taken;
  if (best != freed_.end()) {
    freed_bytes_ -= best->block->size_bytes;
    if (best->stream.get() != &stream) forget_uses(best->block);
    best->stream = {};
    taken.splice(taken.begin(), freed_, best);
  }
  return taken;
}

void MemoryPool::forget_uses(Arena::Block block) noexcept {
  Checker* const checker = device_.checker();
  if (checker != nullptr) checker->forget(device_.arena().device_address(block), block->size_bytes);
}

MemoryPool::Owned MemoryPool::find(const Stream& stream, std::uint64_t size_bytes,
                                   std::uint64_t alignment_bytes) {
  const std::uint64_t alignment = checked_alignment(device_, alignment_bytes);
  const std::uint64_t size = round_up(size_bytes);
  // Much larger ones are left to those who need them, as long as there is room.
  const std::uint64_t most = size > UINT64_MAX / 2 ? UINT64_MAX : 2 * size;
  Owned found = take(stream, size, most, alignment);
  if (!found.empty()) return found;
  found.emplace_back();
  std::optional<Arena::Block> block = device_.arena().allocate(size, alignment);
  if (!block && give_back() > 0) block = device_.arena().allocate(size, alignment);
  if (block) {
    found.front().block = *block;
    return found;
  }
  found = take(stream, size, UINT64_MAX, alignment);
  if (found.empty()) throw_out_of_memory(device_, size_bytes);
  return found;
}

MemoryPool::Owned MemoryPool::allocate(const Stream& stream, std::uint64_t size_bytes,
                                       std::uint64_t alignment_bytes) {
  const std::lock_guard lock(mutex_);
  Owned found = find(stream, size_bytes, alignment_bytes);
  used_bytes_ += found.front().block->size_bytes;
  return found;
}

void MemoryPool::free(Owned range, Stream& stream) noexcept {
  range.front().stream = plugin::Ref<Stream>(&stream);
  range.front().ticket = stream.issued();
  const std::uint64_t size_bytes = range.front().block->size_bytes;
  const std::lock_guard lock(mutex_);
  used_bytes_ -= size_bytes;
  freed_bytes_ += size_bytes;
  freed_.splice(freed_.end(), range);
}

std::uint64_t MemoryPool::give_back() noexcept {
  std::uint64_t released_bytes = 0;
  freed_.remove_if([&](const Range& range) {
    if (!range.stream->reached(range.ticket)) return false;
    released_bytes += range.block->size_bytes;
    forget_uses(range.block);
    device_.arena().free(range.block);
    return true;
  });
  freed_bytes_ -= released_bytes;
  return released_bytes;
}

std::uint64_t MemoryPool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  return give_back();
}

MemoryPool::Info MemoryPool::info() const noexcept {
  const std::lock_guard lock(mutex_);
  return {used_bytes_ + freed_bytes_, used_bytes_};
}

const collet_plugin_pool_interface_t* pool_interface() noexcept { return &kTable; }

}  // namespace collet::sim
