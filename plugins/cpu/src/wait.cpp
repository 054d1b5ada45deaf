// SPDX-License-Identifier: Apache-2.0
#include "wait.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <collet/base.h>

namespace collet::cpu {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

}  // namespace

Deadline Deadline::after(std::uint64_t timeout_ns) noexcept {
  Deadline deadline;
  if (timeout_ns == COLLET_TIMEOUT_INFINITE) return deadline;
  const std::int64_t now = now_ns();
  const auto longest = static_cast<std::uint64_t>(kNever - 1 - now);
  deadline.ns_ = now + static_cast<std::int64_t>(timeout_ns < longest ? timeout_ns : longest);
  return deadline;
}

bool Deadline::has_passed() const noexcept { return !is_never() && now_ns() >= ns_; }

void Signal::sleep(std::uint32_t seen, const Deadline& deadline) noexcept {
  timespec until{};
  until.tv_sec = deadline.nanoseconds() / kNsPerSecond;
  until.tv_nsec = deadline.nanoseconds() % kNsPerSecond;
  // The bitset form takes a point in time of CLOCK_MONOTONIC instead of a duration.
  syscall(SYS_futex, &word_, FUTEX_WAIT_BITSET_PRIVATE, seen,
          deadline.is_never() ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void Signal::wake(int threads) noexcept {
  syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace collet::cpu
