// SPDX-License-Identifier: Apache-2.0
/** The scheduler of a device: whose turn it is. */
#pragma once

#include <collet/sdk/ref.hpp>
#include <condition_variable>
#include <mutex>

#include "clock.hpp"
#include "stream_list.hpp"
#include "thread_pool.hpp"

namespace collet::sim {

/**
 * One thread that serves the streams of a device, a command at a time and in turns.
 *
 * It does copies, fills, records and waits itself. Kernels and host functions are code of others
 * and may wait for anything, so they run on threads of a pool; the stream has its next turn when
 * they return. A stream that waits for an event has none until that is complete. So no stream ever
 * holds up another.
 */
class Engine {
 public:
  explicit Engine(ThreadPool& pool) noexcept : pool_(pool) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /** Starts the thread, which runs until the process ends. Called once. */
  void start();

  /** Gives a stream its turn. */
  void make_ready(plugin::Ref<Stream> stream) noexcept;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }

 private:
  void run() noexcept;
  /** The stream whose turn is next; waits for one. */
  [[nodiscard]] plugin::Ref<Stream> next() noexcept;
  void serve(const plugin::Ref<Stream>& stream) noexcept;

  ThreadPool& pool_;
  Clock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  StreamList ready_;
};

}  // namespace collet::sim
