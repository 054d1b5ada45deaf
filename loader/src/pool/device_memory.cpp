// SPDX-License-Identifier: Apache-2.0
#include "pool/device_memory.hpp"

#include <algorithm>

#include "error.hpp"

namespace collet::loader {
namespace {

collet_allocator_desc_t own_allocator() {
  collet_allocator_desc_t desc{};
  desc.name = "device";
  return desc;
}

}  // namespace

AllocatorState::AllocatorState(DeviceMemory& owner, Device& device, const MemorySettings& settings,
                               const collet_allocator_desc_t& desc)
    : owner_(owner),
      device_(device),
      settings_(settings),
      name_(desc.name == nullptr ? "" : desc.name),
      limit_bytes_(desc.limit_bytes == 0 ? UINT64_MAX : desc.limit_bytes),
      functions_(desc.host) {}

MemoryPool& AllocatorState::pool(collet_memory_kind_t kind) {
  if (MemoryPool* pool = find_pool(kind)) {
    return *pool;
  }
  const std::lock_guard lock(mutex_);
  if (owned_[kind] == nullptr) {
    MemorySettings settings = settings_;
    if (device_.watch != nullptr) {
      // Each buffer is to be seen, from its beginning to its end.
      settings.pool = PoolMode::kOff;
    }
    const collet_plugin_pool_interface_t* native = nullptr;
    if (settings.pool == PoolMode::kNative && kind == COLLET_MEMORY_DEVICE) {
      native = &device_.native_pool();
    } else if (settings.pool == PoolMode::kNative) {
      settings.pool = PoolMode::kOn;
    }
    const SegmentSource source(device_, kind, functions_, native);
    const std::uint64_t share_bytes = kind == COLLET_MEMORY_DEVICE
                                          ? settings_.limit.of(device_.properties.memory_bytes)
                                          : UINT64_MAX;
    owned_[kind] = std::make_unique<MemoryPool>(owner_, device_, kind, settings,
                                                std::min(limit_bytes_, share_bytes), source, name_);
    pools_[kind].store(owned_[kind].get(), std::memory_order_release);
  }
  return *owned_[kind];
}

MemoryPool* AllocatorState::find_pool(std::size_t kind) const noexcept {
  return pools_[kind].load(std::memory_order_acquire);
}

template <class Use>
void AllocatorState::for_each_pool(Use&& use) const {
  for (const auto& pool : pools_) {
    if (MemoryPool* found = pool.load(std::memory_order_acquire)) {
      use(*found);
    }
  }
}

std::uint64_t AllocatorState::trim(const Deadline& deadline) noexcept {
  std::uint64_t freed_bytes = 0;
  for_each_pool([&](MemoryPool& pool) { freed_bytes += pool.trim(deadline); });
  return freed_bytes;
}

void AllocatorState::leave(const StreamState& stream,
                           const std::shared_ptr<const StreamMark>& last_work) noexcept {
  for_each_pool([&](MemoryPool& pool) { pool.leave(stream, last_work); });
}

void AllocatorState::close() noexcept {
  for_each_pool([](MemoryPool& pool) { pool.close(); });
  // From here on another thread may end it.
  is_closed_.store(true, std::memory_order_release);
}

void AllocatorState::reset_peaks() noexcept {
  for_each_pool([](MemoryPool& pool) { pool.reset_peaks(); });
}

bool AllocatorState::is_empty() const noexcept {
  bool is_empty = true;
  for_each_pool([&](const MemoryPool& pool) { is_empty = is_empty && pool.is_empty(); });
  return is_empty;
}

DeviceMemory::DeviceMemory(Device& device, const MemorySettings& settings)
    : device_(device),
      settings_(settings),
      waiting_(device),
      own_(*this, device, settings, own_allocator()) {
  if (settings.pool == PoolMode::kNative) {
    try {
      static_cast<void>(device.native_pool());
    } catch (const Error& error) {
      throw Error(error.status(), "the settings of memory say pool=native, and " + error.message(),
                  device.backend_name);
    }
  }
}

AllocatorState& DeviceMemory::add(const collet_allocator_desc_t& desc) {
  MemorySettings settings = settings_;
  // It is meant for the device's own allocator.
  settings.limit = {};
  if ((desc.flags & COLLET_ALLOCATOR_UNPOOLED) != 0) {
    settings.pool = PoolMode::kOff;
  } else if ((desc.flags & COLLET_ALLOCATOR_NATIVE) != 0) {
    settings.pool = PoolMode::kNative;
  } else if (settings.pool == PoolMode::kNative && desc.host.allocate != nullptr) {
    settings.pool = PoolMode::kOn;
  }
  auto allocator = std::make_shared<AllocatorState>(*this, device_, settings, desc);
  const std::lock_guard lock(mutex_);
  others_.push_back(allocator);
  return *allocator;
}

AllocatorState& DeviceMemory::staging() {
  std::call_once(staging_made_, [this] {
    collet_allocator_desc_t desc{};
    desc.name = "staging";
    desc.limit_bytes = kStagingBytes;
    staging_ = &add(desc);
  });
  return *staging_;
}

std::vector<std::shared_ptr<AllocatorState>> DeviceMemory::others() const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    return others_;
  } catch (const std::bad_alloc&) {
    // What is not looked at now is so at the next call.
    return {};
  }
}

void DeviceMemory::close(AllocatorState& allocator) noexcept {
  allocator.close();
  has_closed_.store(true, std::memory_order_relaxed);
  sweep();
}

void DeviceMemory::sweep() noexcept {
  for (const auto& allocator : others()) {
    if (allocator->is_closed()) {
      allocator->trim(kNow);
    }
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(others_, [](const auto& allocator) {
    return allocator->is_closed() && allocator->is_empty();
  });
  has_closed_.store(std::any_of(others_.begin(), others_.end(),
                                [](const auto& allocator) { return allocator->is_closed(); }),
                    std::memory_order_relaxed);
}

void DeviceMemory::poll() noexcept {
  waiting_.poll();
  if (has_closed_.load(std::memory_order_relaxed)) {
    sweep();
  }
}

std::uint64_t DeviceMemory::trim(const Deadline& deadline) noexcept {
  std::uint64_t freed_bytes = own_.trim(deadline);
  for (const auto& allocator : others()) {
    freed_bytes += allocator->trim(deadline);
  }
  return freed_bytes;
}

std::uint64_t DeviceMemory::trim(AllocatorState& allocator, const Deadline& deadline) noexcept {
  loader::pool<Buffer>().destroy_postponed();
  waiting_.poll_all();
  while (deadline != kNow && waiting_.wait_for_one(deadline)) {
  }
  // What has come back may be that of a closed one.
  poll();
  return allocator.trim(deadline);
}

void DeviceMemory::leave(const StreamState& stream) noexcept {
  std::shared_ptr<const StreamMark> last_work;
  if (device_.stream->query(stream.impl) == COLLET_NOT_READY) {
    try {
      last_work = std::make_shared<StreamMark>(stream);
    } catch (...) {
      // Nothing else tells when the work is done.
      static_cast<void>(device_.stream->synchronize(stream.impl, COLLET_TIMEOUT_INFINITE));
    }
  }
  drop_report();
  own_.leave(stream, last_work);
  const std::lock_guard lock(mutex_);
  for (const auto& allocator : others_) {
    allocator->leave(stream, last_work);
  }
}

}  // namespace collet::loader
