// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace collet::cpu {

/** What two threads write lies so far apart that neither slows the other. */
inline constexpr std::size_t kCacheLineBytes = 64;

}  // namespace collet::cpu
