// SPDX-License-Identifier: Apache-2.0
/** The queue of a background stream. */
#pragma once

#include <collet/sdk/wait.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "command.hpp"
#include "progress.hpp"

namespace collet::cpu {

/**
 * Commands in order, and the right to run them, which one thread has at a time: the runner.
 *
 * A runner takes a first command, runs it, and takes the next, until it gets none; then it is the
 * runner no more. It takes all commands that it may run at once, so that it seldom meets the
 * threads that append on the lock.
 */
class CommandQueue {
 public:
  explicit CommandQueue(Progress& progress) noexcept : progress_(progress) {}
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;
  ~CommandQueue();

  /** Appends a command and gives its position. `admit()` runs first and may throw. */
  template <class Admit>
  std::uint64_t push(std::unique_ptr<Command> command, Admit&& admit) {
    std::uint64_t position = 0;
    {
      const std::lock_guard lock(mutex_);
      admit();
      position = progress_.issue();
      append(std::move(command), position);
    }
    work_.notify();
    return position;
  }

  /**
   * Becomes the runner and takes the first command.
   * @return nullptr if there is a runner already, or no command up to position `greatest`.
   */
  std::unique_ptr<Command> take_first(std::uint64_t greatest) noexcept;

  /** The runner's next command; nullptr, and no runner, if there is none up to `greatest`. */
  std::unique_ptr<Command> take_next(std::uint64_t greatest) noexcept;

  /** Waits until there is something to run and nobody who does; false: closed, and all taken. */
  bool wait_for_work() noexcept;

  /** No command will follow. */
  void close() noexcept;

 private:
  void append(std::unique_ptr<Command> command, std::uint64_t position) noexcept;
  /** Under the mutex: gives the runner the commands up to position `greatest`; false: none. */
  bool take_batch(std::uint64_t greatest) noexcept;
  /** The first of the batch; nullptr if there is none. */
  std::unique_ptr<Command> pop() noexcept;

  Progress& progress_;
  std::mutex mutex_;
  Command* first_ = nullptr;
  Command* last_ = nullptr;
  // Written under the mutex; read without it by who waits for work.
  std::atomic<bool> empty_{true};
  std::atomic<bool> has_runner_{false};
  std::atomic<bool> closed_{false};
  plugin::Signal work_;
  /** What the runner has taken. */
  Command* batch_ = nullptr;
};

}  // namespace collet::cpu
