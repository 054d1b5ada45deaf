// SPDX-License-Identifier: Apache-2.0
/** Waiting for a condition: spins for a moment, then sleeps. */
#pragma once

#include <collet/base.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>

namespace collet::plugin {

/** Nanoseconds of CLOCK_MONOTONIC, which is what steady_clock shows on Linux. */
[[nodiscard]] inline std::int64_t now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/** A point in time until which a wait lasts; maybe never. */
class Deadline {
 public:
  [[nodiscard]] static Deadline never() noexcept { return {}; }
  /** `timeout_ns` from now, as in the ABI: UINT64_MAX is never, 0 has passed already. */
  [[nodiscard]] static Deadline after(std::uint64_t timeout_ns) noexcept {
    Deadline deadline;
    if (timeout_ns == COLLET_TIMEOUT_INFINITE) return deadline;
    const std::int64_t now = now_ns();
    const auto longest = static_cast<std::uint64_t>(kNever - 1 - now);
    deadline.ns_ = now + static_cast<std::int64_t>(timeout_ns < longest ? timeout_ns : longest);
    return deadline;
  }

  [[nodiscard]] bool is_never() const noexcept { return ns_ == kNever; }
  [[nodiscard]] bool has_passed() const noexcept { return !is_never() && now_ns() >= ns_; }
  /** As now_ns(). */
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
inline constexpr std::int64_t kSpinNs = 30'000;

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

  /** Whether a notify() would have to wake somebody. */
  [[nodiscard]] bool has_sleepers() const noexcept {
    return sleepers_.load(std::memory_order_relaxed) != 0;
  }

  /** Returns when `ready` is true, or false if it is not at the deadline. */
  template <class Ready>
  bool wait(Ready&& ready, const Deadline& deadline, std::int64_t spin_ns = kSpinNs) noexcept {
    if (ready()) return true;
    for (;;) {
      if (deadline.has_passed()) return false;
      // Also after a sleep in vain: what this thread came too late for may soon be there again.
      if (spin(ready, spin_ns)) return true;
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      const std::uint32_t seen = word_.load(std::memory_order_seq_cst);
      bool is_ready = ready();
      if (!is_ready) {
        sleep(seen, deadline);
        is_ready = ready();
      }
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (is_ready) return true;
    }
  }

 private:
  template <class Ready>
  static bool spin(Ready& ready, std::int64_t spin_ns) noexcept {
    constexpr int kLooksPerTime = 16;
    const std::int64_t end = now_ns() + spin_ns;
    do {
      for (int i = 0; i < kLooksPerTime; ++i) {
        if (ready()) return true;
        relax();
      }
    } while (now_ns() < end);
    return false;
  }

  /** Sleeps unless the word has changed from `seen`; may return early. */
  void sleep(std::uint32_t seen, const Deadline& deadline) noexcept {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    timespec until{};
    until.tv_sec = deadline.nanoseconds() / kNsPerSecond;
    until.tv_nsec = deadline.nanoseconds() % kNsPerSecond;
    // The bitset form takes a point in time of CLOCK_MONOTONIC instead of a duration.
    syscall(SYS_futex, &word_, FUTEX_WAIT_BITSET_PRIVATE, seen,
            deadline.is_never() ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  }

  void wake(int threads) noexcept {
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace collet::plugin
