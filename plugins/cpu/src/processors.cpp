// SPDX-License-Identifier: Apache-2.0
#include "processors.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace collet::cpu {

unsigned usable_processors() noexcept {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof(usable), &usable) == 0) {
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&usable)));
  }
  // More processors than the set has room for.
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace collet::cpu
