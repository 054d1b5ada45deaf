// SPDX-License-Identifier: Apache-2.0
#include "pool/lock.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace collet::loader {
namespace {

constexpr unsigned kLongestPause = 256;

void pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

void Lock::lock_contended() noexcept {
  for (unsigned pauses = 1; pauses <= kLongestPause; pauses *= 2) {
    for (unsigned i = 0; i < pauses; ++i) {
      pause();
    }
    std::uint32_t free = kFree;
    if (state_.load(std::memory_order_relaxed) == kFree &&
        state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      return;
    }
  }
  // Whoever has slept cannot know whether others still do, and wakes the next one for sure.
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
    state_.wait(kAwaited, std::memory_order_relaxed);
  }
}

}  // namespace collet::loader
