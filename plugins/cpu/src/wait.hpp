// SPDX-License-Identifier: Apache-2.0
/** Waiting for a condition: spins for a moment, then sleeps. */
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>

namespace collet::cpu {

using Clock = std::chrono::steady_clock;

/** A point in time until which a wait lasts; maybe never. */
class Deadline {
 public:
  [[nodiscard]] static Deadline never() noexcept { return {}; }
  /** `timeout_ns` from now, as in the ABI: UINT64_MAX is never, 0 has passed already. */
  [[nodiscard]] static Deadline after(std::uint64_t timeout_ns) noexcept;

  [[nodiscard]] bool is_never() const noexcept { return ns_ == kNever; }
  [[nodiscard]] bool has_passed() const noexcept;
  /** Nanoseconds of CLOCK_MONOTONIC, which is what steady_clock shows on Linux. */
  [[nodiscard]] std::int64_t nanoseconds() const noexcept { return ns_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::int64_t ns_ = kNever;
};

/** Tells the processor that this is a spin loop. */
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/** How long a thread that waits spins before it sleeps: about the price of being woken. */
inline constexpr std::chrono::microseconds kSpin{30};

/**
 * Where threads sleep until a condition may have become true.
 *
 * Who makes the condition true does so first and calls notify() after; the condition is read
 * without a lock, so it consists of atomics. The signal must outlive the call of notify(), also
 * where the waiter goes on before that call ends.
 */
class Signal {
 public:
  /** Lets up to `threads` of the sleepers look again. Cheap when nobody sleeps. */
  void notify(int threads = std::numeric_limits<int>::max()) noexcept {
    word_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake(threads);
  }

  /** Returns when `ready` is true, or false if it is not at the deadline. */
  template <class Ready>
  bool wait(Ready&& ready, const Deadline& deadline) noexcept {
    if (ready()) return true;
    if (deadline.has_passed()) return false;
    if (spin(ready)) return true;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    bool is_ready = false;
    for (;;) {
      const std::uint32_t seen = word_.load(std::memory_order_seq_cst);
      is_ready = ready();
      if (is_ready || deadline.has_passed()) break;
      sleep(seen, deadline);
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    return is_ready;
  }

 private:
  template <class Ready>
  static bool spin(Ready& ready) noexcept {
    constexpr int kLooksPerTime = 16;
    const Clock::time_point end = Clock::now() + kSpin;
    do {
      for (int i = 0; i < kLooksPerTime; ++i) {
        if (ready()) return true;
        relax();
      }
    } while (Clock::now() < end);
    return false;
  }

  /** Sleeps unless the word has changed from `seen`; may return early. */
  void sleep(std::uint32_t seen, const Deadline& deadline) noexcept;
  void wake(int threads) noexcept;

  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace collet::cpu
