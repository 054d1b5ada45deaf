// SPDX-License-Identifier: Apache-2.0
/** How far a stream has come. */
#pragma once

#include <collet/sdk/wait.hpp>

#include <atomic>
#include <cstdint>

#include "cache_line.hpp"

namespace collet::cpu {

using plugin::Deadline;

/**
 * Counts the commands of a stream, which complete in the order they were issued in.
 *
 * The position of a command is its number, from 1. Looking takes no lock.
 */
class Progress {
 public:
  /** Issues the next command; gives its position. */
  std::uint64_t issue() noexcept { return issued_.fetch_add(1) + 1; }

  /** Issues the next command if none is under way, waiting for that; gives 0 at the deadline. */
  std::uint64_t issue_when_idle(const Deadline& deadline) noexcept {
    std::uint64_t done = completed_.load();
    while (!issued_.compare_exchange_strong(done, done + 1)) {
      if (!changed_.wait([this] { return is_idle(); }, deadline)) return 0;
      done = completed_.load();
    }
    return done + 1;
  }

  [[nodiscard]] std::uint64_t issued() const noexcept { return issued_.load(); }

  /** Whether all that was issued is complete. */
  [[nodiscard]] bool is_idle() const noexcept { return completed_.load() == issued_.load(); }

  [[nodiscard]] bool reached(std::uint64_t position) const noexcept {
    return completed_.load(std::memory_order_acquire) >= position;
  }

  /** Returns false if the position is not reached at the deadline. */
  bool wait_for(std::uint64_t position, const Deadline& deadline) noexcept {
    return changed_.wait([&] { return reached(position); }, deadline);
  }

  /** The command at `position` is done; those before it are. */
  void complete(std::uint64_t position) noexcept {
    completed_.store(position, std::memory_order_release);
    changed_.notify();
  }

 private:
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> issued_{0};
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> completed_{0};
  plugin::Signal changed_;
};

}  // namespace collet::cpu
