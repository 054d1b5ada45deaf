// SPDX-License-Identifier: Apache-2.0
// All memory of a device: its own allocator, those that hosts made, and what they share.
#pragma once

#include <collet/allocator.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pool/memory_pool.hpp"

namespace collet::loader {

// A pool for each kind of memory, made at its first use.
class AllocatorState {
 public:
  AllocatorState(DeviceMemory& owner, Device& device, const MemorySettings& settings,
                 const collet_allocator_desc_t& desc);

  [[nodiscard]] Device& device() const noexcept { return device_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  MemoryPool& pool(collet_memory_kind_t kind);
  // The pool if it is there, or nullptr.
  [[nodiscard]] MemoryPool* find_pool(std::size_t kind) const noexcept;

  std::uint64_t trim(const Deadline& deadline) noexcept;
  void leave(const StreamState& stream,
             const std::shared_ptr<const StreamMark>& last_work) noexcept;
  void reset_peaks() noexcept;
  // Keeps nothing from now on.
  void close() noexcept;
  [[nodiscard]] bool is_closed() const noexcept {
    return is_closed_.load(std::memory_order_acquire);
  }
  // Whether it holds no memory of the device.
  [[nodiscard]] bool is_empty() const noexcept;

 private:
  template <class Use>
  void for_each_pool(Use&& use) const;

  DeviceMemory& owner_;
  Device& device_;
  const MemorySettings settings_;
  const std::string name_;
  const std::uint64_t limit_bytes_;
  const collet_host_allocator_t functions_;
  std::atomic<bool> is_closed_{false};
  std::mutex mutex_;
  std::array<std::unique_ptr<MemoryPool>, 3> owned_;
  std::array<std::atomic<MemoryPool*>, 3> pools_{};
};

class DeviceMemory {
 public:
  // Throws UNSUPPORTED if the settings want a pool that the device does not have.
  DeviceMemory(Device& device, const MemorySettings& settings);

  [[nodiscard]] WaitingReleases& waiting() noexcept { return waiting_; }
  // The device's own allocator, which never ends.
  [[nodiscard]] AllocatorState& own() noexcept { return own_; }

  // Pinned memory for copies of pageable memory, that much at most.
  static constexpr std::uint64_t kStagingBytes = std::uint64_t{64} << 20;
  AllocatorState& staging();

  // An allocator of the host's. It is there until it was closed and all its memory is back.
  AllocatorState& add(const collet_allocator_desc_t& desc);
  void close(AllocatorState& allocator) noexcept;

  // Looks after what has been released; see WaitingReleases::poll().
  void poll() noexcept;
  // Gives unused segments of all pools back to the device; see MemoryPool::trim().
  std::uint64_t trim(const Deadline& deadline) noexcept;
  // The same for one allocator, which also waits for releases that streams hold up.
  std::uint64_t trim(AllocatorState& allocator, const Deadline& deadline) noexcept;
  // For the end of a stream, before it is destroyed.
  void leave(const StreamState& stream) noexcept;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<AllocatorState>> others() const noexcept;
  // Ends the closed allocators whose memory is back.
  void sweep() noexcept;

  Device& device_;
  const MemorySettings settings_;
  WaitingReleases waiting_;
  AllocatorState own_;
  mutable std::mutex mutex_;
  // Shared, so that one that ends meanwhile can be worked on without the lock: a stream may end
  // there, which calls leave().
  std::vector<std::shared_ptr<AllocatorState>> others_;
  // One of those; made at its first use.
  std::once_flag staging_made_;
  AllocatorState* staging_ = nullptr;
  std::atomic<bool> has_closed_{false};
};

}  // namespace collet::loader
