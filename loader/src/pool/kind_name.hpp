// SPDX-License-Identifier: Apache-2.0
// Kinds of memory, as reports and files name them.
#pragma once

#include <collet/memory.h>

namespace collet::loader {

inline constexpr const char* kMemoryKindNames[] = {"device", "pinned", "shared"};
static_assert(COLLET_MEMORY_DEVICE == 0 && COLLET_MEMORY_PINNED == 1 && COLLET_MEMORY_SHARED == 2);

}  // namespace collet::loader
