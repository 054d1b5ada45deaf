// SPDX-License-Identifier: Apache-2.0
/** Memory: a buffer, shared virtual memory below one, or memory of the host that is copied only. */
#pragma once

#include <collet/plugin/memory.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "owned.hpp"

namespace collet::opencl {

class Device;

/**
 * Where a device has shared virtual memory, all its memory is that, with a buffer over it: copies
 * and fills use the buffer, and kernels a pointer at any offset. Elsewhere kernels are given parts
 * of the buffer.
 *
 * Host memory that the device cannot reach while the host does (pinned memory without fine-grained
 * sharing, and registered memory) has no buffer that commands may use: it is the host's side of
 * reads and writes.
 */
class Memory {
 public:
  using Handle = collet_plugin_memory_t;

  /** Allocates. @throws Error OUT_OF_DEVICE_MEMORY, UNSUPPORTED */
  Memory(Device& device, collet_memory_kind_t kind, std::uint64_t size_bytes,
         std::uint64_t alignment_bytes);
  /** Refers to memory of the caller. */
  Memory(Device& device, void* data, std::uint64_t size_bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  /** Whether commands use host_pointer() in place of buffer(). */
  [[nodiscard]] bool is_host_side() const noexcept { return is_host_side_; }
  [[nodiscard]] cl_mem buffer() const noexcept { return buffer_.get(); }
  /** nullptr where the host has none. */
  [[nodiscard]] std::byte* host_pointer() const noexcept { return host_; }
  /** Shared virtual memory; nullptr where it is none. */
  [[nodiscard]] std::byte* shared_pointer() const noexcept { return shared_; }

  /**
   * Makes the memory from an offset on an argument of a kernel.
   * @throws Error UNSUPPORTED where the device cannot reach it.
   */
  void set_argument(cl_kernel kernel, cl_uint index, std::uint64_t offset_bytes);

 private:
  void allocate_shared(bool is_fine, std::uint64_t alignment_bytes);
  void allocate_buffer();
  void allocate_pinned();
  /** The buffer from an offset on; made at its first use. */
  [[nodiscard]] cl_mem part(std::uint64_t offset_bytes);

  Device& device_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t charged_bytes_ = 0;
  OwnedBuffer buffer_;
  std::byte* host_ = nullptr;
  std::byte* shared_ = nullptr;
  /** What is freed with this object. */
  void* shared_base_ = nullptr;
  bool is_host_side_ = false;
  std::mutex parts_mutex_;
  std::map<std::uint64_t, OwnedBuffer> parts_;
};

/** The table of COLLET_INTERFACE_MEMORY_V1. */
[[nodiscard]] const collet_plugin_memory_interface_t* memory_interface() noexcept;

}  // namespace collet::opencl
