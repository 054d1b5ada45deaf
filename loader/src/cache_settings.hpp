// SPDX-License-Identifier: Apache-2.0
// Where the caches are, and how much they may keep.
#pragma once

#include <cstdint>
#include <string>

namespace collet::loader {

struct CacheSettings {
  // Absolute; empty where nothing is kept, as in a process with more rights than its user.
  std::string root;
  // Of programs; 0: none are kept.
  std::uint64_t program_bytes = 0;
  // What is wrong with a variable; empty where all is well.
  std::string warning;
};

// What COLLET_CACHE_DIR, $XDG_CACHE_HOME, $HOME and COLLET_CACHE_SIZE say.
CacheSettings cache_settings();

}  // namespace collet::loader
