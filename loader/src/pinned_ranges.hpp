// SPDX-License-Identifier: Apache-2.0
// Which host addresses are pinned memory of which device. Interior addresses count.
#pragma once

#include <collet/plugin.h>

#include <cstdint>
#include <optional>

namespace collet::loader {

struct Device;

// `memory` is what the block is to the device's plugin.
void add_pinned_range(const void* start, std::uint64_t size_bytes, const Device& device,
                      collet_plugin_memory_t* memory);
void remove_pinned_range(const void* start, std::uint64_t size_bytes,
                         const Device& device) noexcept;

struct PinnedPlace {
  collet_plugin_memory_t* memory;
  std::uint64_t offset_bytes;
};

// Where [start, start + size) lies, if all of it is in one pinned block of the device.
[[nodiscard]] std::optional<PinnedPlace> find_pinned(const void* start, std::uint64_t size_bytes,
                                                     const Device& device) noexcept;

[[nodiscard]] inline bool is_pinned(const void* start, std::uint64_t size_bytes,
                                    const Device& device) noexcept {
  return find_pinned(start, size_bytes, device).has_value();
}

}  // namespace collet::loader
