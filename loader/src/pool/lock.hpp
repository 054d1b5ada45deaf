// SPDX-License-Identifier: Apache-2.0
// The lock of an arena: held for some nanoseconds, by one thread mostly.
#pragma once

#include <atomic>
#include <cstdint>

namespace collet::loader {

// A mutex that spins before it sleeps. Threads that find it held look at it less and less often, so
// that the one that has the arena in its cache goes on with it.
class Lock {
 public:
  void lock() noexcept {
    std::uint32_t free = kFree;
    if (!state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire,
                                        std::memory_order_relaxed)) [[unlikely]] {
      lock_contended();
    }
  }

  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]] {
      state_.notify_one();
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  // A thread may be asleep.
  static constexpr std::uint32_t kAwaited = 2;

  void lock_contended() noexcept;

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace collet::loader
