// SPDX-License-Identifier: Apache-2.0
/** Memory of a device, freed with the object. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "device.hpp"

namespace collet::conformance {

class Memory {
 public:
  /** A failure ends the case. */
  Memory(Device& device, std::uint64_t size_bytes, collet_memory_kind_t kind = COLLET_MEMORY_DEVICE,
         std::uint64_t alignment_bytes = 0);
  /** Takes over a handle. */
  Memory(Device& device, collet_plugin_memory_t* handle, std::uint64_t size_bytes) noexcept
      : device_(&device), handle_(handle), size_(size_bytes) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory(Memory&& other) noexcept
      : device_(other.device_), handle_(other.handle_), size_(other.size_) {
    other.handle_ = nullptr;
  }
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  [[nodiscard]] collet_plugin_memory_t* handle() const noexcept { return handle_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /** Gives the handle up, without freeing it. */
  [[nodiscard]] collet_plugin_memory_t* release() noexcept {
    return std::exchange(handle_, nullptr);
  }

  /** Its host address; without one the case ends as failed. */
  [[nodiscard]] std::uint8_t* host_pointer() const;
  /** nullptr where the host cannot reach it. */
  [[nodiscard]] std::uint8_t* host_pointer_if_any() const;

 private:
  Device* device_;
  collet_plugin_memory_t* handle_ = nullptr;
  std::uint64_t size_;
};

/** memory.allocate as it is. */
collet_status_t try_allocate(Device& device, collet_memory_kind_t kind, std::uint64_t size_bytes,
                             std::uint64_t alignment_bytes, collet_plugin_memory_t** out_memory);

}  // namespace collet::conformance
