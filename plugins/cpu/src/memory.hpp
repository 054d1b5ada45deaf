// SPDX-License-Identifier: Apache-2.0
/** Memory: of whatever kind, it is memory of the host. */
#pragma once

#include <collet/plugin/memory.h>

#include <cstddef>
#include <cstdint>

namespace collet::cpu {

class Memory {
 public:
  using Handle = collet_plugin_memory_t;

  /** Allocates. @throws Error OUT_OF_DEVICE_MEMORY */
  Memory(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
  /** Refers to memory of the caller. */
  explicit Memory(void* data) noexcept : data_(static_cast<std::byte*>(data)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
  /** What was charged; 0: the memory is the caller's. */
  std::uint64_t charged_bytes_ = 0;
};

/** The table of COLLET_INTERFACE_MEMORY_V1. */
[[nodiscard]] const collet_plugin_memory_interface_t* memory_interface() noexcept;

}  // namespace collet::cpu
