// SPDX-License-Identifier: Apache-2.0
// Where the segments of a pool come from: the device's plugin, or functions of the host.
#pragma once

#include <collet/allocator.h>

#include <cstdint>

#include "device.hpp"
#include "pool/block.hpp"

namespace collet::loader {

class SegmentSource {
 public:
  // With functions: host memory of theirs, which the device then reaches.
  SegmentSource(Device& device, collet_memory_kind_t kind, const collet_host_allocator_t& functions)
      : device_(device), kind_(kind), functions_(functions) {}

  // Fills in memory and host address of a segment whose size and alignment are set.
  [[nodiscard]] collet_status_t allocate(Segment& segment) const;
  void free(const Segment& segment) const noexcept;

 private:
  [[nodiscard]] collet_status_t allocate_by_host(Segment& segment) const;

  Device& device_;
  const collet_memory_kind_t kind_;
  const collet_host_allocator_t functions_;
};

}  // namespace collet::loader
