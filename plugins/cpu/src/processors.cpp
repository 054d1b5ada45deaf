// SPDX-License-Identifier: Apache-2.0
#include "processors.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
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

void CallersProcessor::keep_off(std::span<const pthread_t> threads) noexcept {
  const int processor = sched_getcpu();
  if (processor < 0 || processor == avoided_) return;
  cpu_set_t others;
  CPU_ZERO(&others);
  if (sched_getaffinity(0, sizeof(others), &others) != 0) return;
  CPU_CLR(static_cast<std::size_t>(processor), &others);
  if (CPU_COUNT(&others) == 0) return;
  for (const pthread_t thread : threads) pthread_setaffinity_np(thread, sizeof(others), &others);
  avoided_ = processor;
}

}  // namespace collet::cpu
