// SPDX-License-Identifier: Apache-2.0
/** The queue of a background stream. */
#pragma once

#include <collet/sdk/wait.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include "command.hpp"
#include "progress.hpp"

namespace collet::cpu {

/**
 * Commands in order, and the right to run them, which one thread has at a time: the runner. That
 * is the stream's worker, or a thread that waits for a command and helps.
 *
 * The queue is a list that the threads that append share a lock for, and that the runner follows
 * without one. Slots whose commands have run are used again, so that in the long run nothing is
 * allocated. It has no greatest length: to append never waits.
 */
class CommandQueue {
 public:
  explicit CommandQueue(Progress& progress);
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;
  ~CommandQueue();

  /** Appends a command and gives its position. `admit()` runs first and may throw. */
  template <class Function, class Admit>
  std::uint64_t push(const CommandInfo& info, Ref<Annotation> annotation, Function&& function,
                     Admit&& admit) {
    std::uint64_t position = 0;
    {
      const std::lock_guard lock(mutex_);
      admit();
      spare().room.make<FunctionCommand<std::decay_t<Function>>>(info, std::move(annotation),
                                                                 std::forward<Function>(function));
      position = append_spare();
    }
    tell_worker();
    return position;
  }

  /** For the worker: calls `run(command)` for what there is, unless another thread does. */
  template <class Run>
  void run_all(Run&& run) noexcept {
    if (run_up_to(progress_.issued(), run)) helped_in_a_row_.store(0, std::memory_order_relaxed);
  }

  /** For a thread that waits: as run_all(), for the commands up to position `greatest`. */
  template <class Run>
  void help(std::uint64_t greatest, Run&& run) noexcept {
    if (run_up_to(greatest, run)) helped_in_a_row_.fetch_add(1, std::memory_order_relaxed);
  }

  /**
   * For the worker: waits until there is something to run that nobody runs, nor is about to.
   * @return false: closed, and all is complete.
   */
  bool wait_for_work() noexcept;

  /** No command will follow. */
  void close() noexcept;

 private:
  struct alignas(kCacheLineBytes) Slot {
    std::atomic<Slot*> next{nullptr};
    std::uint64_t position = 0;
    CommandRoom room;
  };

  /** Under the mutex: a slot to make the next command in. */
  Slot& spare();
  Slot* take_oldest() noexcept;
  std::uint64_t append_spare() noexcept;

  /** False if there is a runner already, or no such command. */
  template <class Run>
  bool run_up_to(std::uint64_t greatest, Run& run) noexcept {
    if (has_runner_.load(std::memory_order_relaxed) || has_runner_.exchange(true)) return false;
    bool has_run = false;
    while (Slot* const slot = next_up_to(greatest)) {
      run(slot->room.command());
      slot->room.clear();
      const std::uint64_t position = slot->position;
      consumed_.store(slot, std::memory_order_release);
      progress_.complete(position);
      has_run = true;
    }
    leave();
    return has_run;
  }
  [[nodiscard]] Slot* next_up_to(std::uint64_t greatest) const noexcept;
  void leave() noexcept;
  void tell_worker() noexcept;

  [[nodiscard]] bool is_to_run() const noexcept;
  /** Returns when something is to run, or a thread that waits has run it before this one woke. */
  void sleep() noexcept;
  /** Looks from time to time instead of being told; false: for long in vain. */
  bool doze() noexcept;
  /** Whether a thread that waits takes the work that has stayed `since` then. */
  [[nodiscard]] bool is_taken_soon(std::int64_t since) const noexcept;

  Progress& progress_;

  // What the threads that append write.
  alignas(kCacheLineBytes) std::mutex mutex_;
  /** The first slot that can be used again, if it is not the consumed one. */
  Slot* oldest_;
  /** The consumed slot, or one before it. */
  Slot* seen_consumed_;
  Slot* last_;
  Slot* spare_ = nullptr;

  // What the runner writes.
  alignas(kCacheLineBytes) std::atomic<bool> has_runner_{false};
  std::atomic<unsigned> helped_in_a_row_{0};
  /** The slot before the next one to run. */
  std::atomic<Slot*> consumed_;

  // What is seldom written.
  alignas(kCacheLineBytes) std::atomic<bool> closed_{false};
  std::atomic<bool> dozes_{false};

  // What the worker waits by.
  alignas(kCacheLineBytes) plugin::Signal work_;
  /** Threads that are waking the worker. */
  std::atomic<unsigned> wakers_{0};
  /** When the worker last began to run commands. */
  std::int64_t began_ns_ = 0;
};

}  // namespace collet::cpu
