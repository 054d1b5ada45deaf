// SPDX-License-Identifier: Apache-2.0
/** The scheduler of a device: whose turn it is. */
#pragma once

#include <collet/sdk/ref.hpp>
#include <condition_variable>
#include <mutex>

#include "schedule.hpp"
#include "stream_list.hpp"
#include "thread_pool.hpp"

namespace collet::sim {

/**
 * One thread that serves the streams of a device, a command at a time and in turns, in the order
 * that a schedule chooses.
 *
 * It does copies, fills, records and waits itself. Kernels and host functions are code of others
 * and may wait for anything, so they run on threads of a pool; the stream has its next turn when
 * they return. A stream that waits for an event has none until that is complete. So no stream ever
 * holds up another.
 */
class Engine {
 public:
  Engine(ThreadPool& pool, const ScheduleSettings& schedule) : pool_(pool), schedule_(schedule) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /** Starts the thread, which runs until the process ends. Called once. */
  void start();

  /** Gives a stream its turn, when the schedule thinks so. */
  void make_ready(plugin::Ref<Stream> stream) noexcept;
  /** Whether streams run only when something waits for them. */
  [[nodiscard]] bool is_lazy() const noexcept { return schedule_.is_lazy(); }
  /** After a stream has come to be waited for: the schedule may choose it now. */
  void choose_again() noexcept;

 private:
  void run() noexcept;
  /** The stream whose turn is next; waits for one. */
  [[nodiscard]] plugin::Ref<Stream> next();
  void serve(const plugin::Ref<Stream>& stream) noexcept;

  ThreadPool& pool_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Schedule schedule_;
  StreamList ready_;
};

}  // namespace collet::sim
