// SPDX-License-Identifier: Apache-2.0
//
// The reference of the rows about single buffers: an allocator of host memory that is known to be
// fast, found when the program runs.
#pragma once

#include <cstddef>

namespace collet::bench {

struct Mimalloc {
  void* (*allocate)(std::size_t size_bytes);
  void (*free)(void* data);
};

// Throws Absent where it is not installed. The library stays loaded.
Mimalloc load_mimalloc();

}  // namespace collet::bench
