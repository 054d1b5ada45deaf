// SPDX-License-Identifier: Apache-2.0
// For programs that look at single allocations of the plugin: each buffer is one.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kSet = setenv("COLLET_MEMORY", "pool=off", 1);

}  // namespace
