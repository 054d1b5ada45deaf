// SPDX-License-Identifier: Apache-2.0
/** How many threads are of use, and where they run. */
#pragma once

#include <pthread.h>

#include <span>

namespace collet::cpu {

/** Processors that this process may run on. */
[[nodiscard]] unsigned usable_processors() noexcept;

/**
 * The processor that the calling thread runs on, and a way to keep other threads off it.
 *
 * A thread that shares a processor with the one it works for does not run before the next tick of
 * the scheduler, which is milliseconds.
 */
class CallersProcessor {
 public:
  /**
   * Lets `threads` run where the calling thread may, but not where it runs now. Leaves them where
   * they are if nothing has changed since the last call, or if no processor would be left.
   */
  void keep_off(std::span<const pthread_t> threads) noexcept;

 private:
  /** The one that the threads are kept off; -1 for none. */
  int avoided_ = -1;
};

}  // namespace collet::cpu
