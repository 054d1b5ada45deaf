// SPDX-License-Identifier: Apache-2.0
/** Memory: blocks of the device's own, and host memory that it can reach. */
#pragma once

#include <collet/plugin/memory.h>

#include <cstddef>
#include <cstdint>

#include "arena.hpp"
#include "device.hpp"
#include "faults/recycled.hpp"

namespace collet::sim {

class Memory {
 public:
  using Handle = collet_plugin_memory_t;

  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /** Where the device's commands find it. */
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /** Where the program finds it. */
  [[nodiscard]] virtual std::byte* native_pointer() const noexcept { return data_; }
  /** An access to a part of it. */
  [[nodiscard]] Access access(Access::Mode mode, std::uint64_t offset_bytes,
                              std::uint64_t size_bytes) const noexcept {
    return {mode, data_ + offset_bytes, size_bytes, native_pointer() - data_};
  }
  /** Whether it can be read and written there. */
  [[nodiscard]] virtual bool is_host_memory() const noexcept { return true; }

 protected:
  explicit Memory(Device& device) noexcept : device_(device) {}

  /** Before the memory is another's: its commands must be complete. */
  void note_freed(std::uint64_t size_bytes) const noexcept;

  Device& device_;
  std::byte* data_ = nullptr;
};

/** Memory of the device. */
class DeviceMemory final : public Memory, public Recycled<DeviceMemory> {
 public:
  /** @throws Error OUT_OF_DEVICE_MEMORY */
  DeviceMemory(Device& device, std::uint64_t size_bytes, std::uint64_t alignment_bytes);
  ~DeviceMemory() override;

  [[nodiscard]] std::byte* native_pointer() const noexcept override;
  [[nodiscard]] bool is_host_memory() const noexcept override { return false; }

 private:
  Arena::Block block_;
};

/** Memory of the host that the plugin has allocated. */
class PinnedMemory final : public Memory {
 public:
  /** @throws Error OUT_OF_DEVICE_MEMORY */
  PinnedMemory(Device& device, std::uint64_t size_bytes, std::uint64_t alignment_bytes);
  ~PinnedMemory() override;

 private:
  std::uint64_t size_bytes_;
};

/** Memory of the caller. */
class RegisteredMemory final : public Memory {
 public:
  RegisteredMemory(Device& device, void* data, std::uint64_t size_bytes);
  ~RegisteredMemory() override;

 private:
  std::uint64_t size_bytes_;
};

/** At least what all memory has. @throws Error UNSUPPORTED */
[[nodiscard]] std::uint64_t checked_alignment(const Device& device, std::uint64_t alignment_bytes);
/**
 * What memory of a size takes. That of no bytes has an address of its own as well. Saturates: that
 * is too large then.
 */
[[nodiscard]] std::uint64_t round_up(std::uint64_t size_bytes) noexcept;
[[noreturn]] void throw_out_of_memory(Device& device, std::uint64_t size_bytes);

/** The table of COLLET_INTERFACE_MEMORY_V1. */
[[nodiscard]] const collet_plugin_memory_interface_t* memory_interface() noexcept;

}  // namespace collet::sim
