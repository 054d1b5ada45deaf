// SPDX-License-Identifier: Apache-2.0
/** Threads for commands that run code of others. */
#pragma once

#include <collet/sdk/ref.hpp>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "stream_list.hpp"

namespace collet::sim {

/**
 * Executes the command that a stream is at, at once: where all threads are busy, it starts another.
 *
 * So a command that waits holds up no other. Threads that find no work end, but for a few. None is
 * joined: the pool lives as long as the process.
 */
class ThreadPool {
 public:
  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /** Returns false, and executes nothing, if the system gives no thread. */
  [[nodiscard]] bool execute(const plugin::Ref<Stream>& stream) noexcept;

 private:
  /** How many threads wait for work at most. */
  static constexpr std::size_t kMostIdle = 4;

  void worker() noexcept;

  std::mutex mutex_;
  std::condition_variable work_;
  StreamList waiting_;
  std::size_t waiting_count_ = 0;
  std::size_t idle_ = 0;
};

}  // namespace collet::sim
