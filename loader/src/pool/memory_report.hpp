// SPDX-License-Identifier: Apache-2.0
// What an allocator has, for people and for machines.
#pragma once

#include <string>

#include "pool/device_memory.hpp"

namespace collet::loader {

// The public form of a snapshot; its head is left alone.
[[nodiscard]] collet_memory_statistics_t statistics_of(const PoolSnapshot& snapshot) noexcept;

std::string report_text(const AllocatorState& allocator);
std::string report_json(const AllocatorState& allocator);

}  // namespace collet::loader
