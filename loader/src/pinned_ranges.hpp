// SPDX-License-Identifier: Apache-2.0
// Which host addresses are pinned memory of which device. Interior addresses count.
#pragma once

#include <cstdint>

namespace collet::loader {

struct Device;

void add_pinned_range(const void* start, std::uint64_t size_bytes, const Device& device);
void remove_pinned_range(const void* start, std::uint64_t size_bytes,
                         const Device& device) noexcept;

// True if all of [start, start + size) lies in one pinned block of the device.
[[nodiscard]] bool is_pinned(const void* start, std::uint64_t size_bytes,
                             const Device& device) noexcept;

}  // namespace collet::loader
