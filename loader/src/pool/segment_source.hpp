// SPDX-License-Identifier: Apache-2.0
// Where the segments of a pool come from: the device's plugin, the pool that this has itself, or
// functions of the host.
#pragma once

#include <collet/allocator.h>

#include <cstdint>
#include <optional>

#include "device.hpp"
#include "pool/block.hpp"

namespace collet::loader {

// What the plugin's pool has of the device's memory, and how much of that is allocated.
struct NativeInfo {
  std::uint64_t reserved_bytes = 0;
  std::uint64_t used_bytes = 0;
};

class SegmentSource {
 public:
  // With functions: host memory of theirs, which the device then reaches. With `native`: memory of
  // that pool; then segments have a stream.
  SegmentSource(Device& device, collet_memory_kind_t kind, const collet_host_allocator_t& functions,
                const collet_plugin_pool_interface_t* native)
      : device_(device), kind_(kind), functions_(functions), native_(native) {}

  [[nodiscard]] bool is_native() const noexcept { return native_ != nullptr; }

  // Fills in memory and host address of a segment whose size and alignment are set.
  [[nodiscard]] collet_status_t allocate(Segment& segment) const;
  void free(const Segment& segment) const noexcept;

  // What the plugin's pool has; nothing where there is none, or it does not tell.
  [[nodiscard]] std::optional<NativeInfo> native_info() const noexcept;
  // Makes it give back what is free; returns how much that was.
  std::uint64_t trim_native() const noexcept;

 private:
  [[nodiscard]] collet_status_t allocate_by_host(Segment& segment) const;

  Device& device_;
  const collet_memory_kind_t kind_;
  const collet_host_allocator_t functions_;
  const collet_plugin_pool_interface_t* const native_;
};

}  // namespace collet::loader
