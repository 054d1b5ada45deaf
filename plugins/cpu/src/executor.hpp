// SPDX-License-Identifier: Apache-2.0
/** The threads that share the work inside a command. */
#pragma once

#include <collet/sdk/wait.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <type_traits>
#include <vector>

#include "processors.hpp"

namespace collet::cpu {

/**
 * A thread budget, and the workers that fill it.
 *
 * The thread that calls takes part itself; up to `threads - 1` workers join it. Where several
 * threads call at once, workers join only while callers and workers together stay within the
 * budget, and leave after their part when a further caller comes. A call inside a part runs
 * serially. Workers start with the first call that can use them, spin for a moment before they
 * sleep, and are never joined: the executor lives as long as the process.
 */
class Executor {
 public:
  explicit Executor(unsigned threads) noexcept : threads_(std::max(1U, threads)) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /** The budget: most threads that work for one call, its caller included. */
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }

  /**
   * Calls `body(part)` for each part in [0, parts), in any order and on several threads, and
   * returns when all are done. The first exception stops the parts that have not begun, and is
   * thrown again here.
   */
  template <class Body>
  void parallel_for(std::uint64_t parts, Body&& body) {
    if (parts <= 1 || threads_ == 1 || in_part) {
      for (std::uint64_t part = 0; part < parts; ++part) body(part);
      return;
    }
    Job job;
    job.parts = parts;
    job.body = const_cast<void*>(static_cast<const void*>(&body));
    job.call = [](void* called, std::uint64_t part) {
      (*static_cast<std::remove_reference_t<Body>*>(called))(part);
    };
    run(job);
  }

  /**
   * Calls `body(begin, end)` for ranges that cover [0, count) once, none of them shorter than
   * `grain` but the last.
   */
  template <class Body>
  void parallel_ranges(std::uint64_t count, std::uint64_t grain, Body&& body) {
    // Several ranges per thread even out threads that are slower or come late.
    constexpr std::uint64_t kRangesPerThread = 4;
    if (count == 0) return;
    const std::uint64_t most = std::uint64_t{threads_} * kRangesPerThread;
    const std::uint64_t length = std::max({grain, (count - 1) / most + 1, std::uint64_t{1}});
    parallel_for((count - 1) / length + 1, [&](std::uint64_t part) {
      const std::uint64_t begin = part * length;
      body(begin, begin + std::min(length, count - begin));
    });
  }

 private:
  /** One call of parallel_for(); lives in its caller's frame. */
  struct Job {
    void (*call)(void* body, std::uint64_t part) = nullptr;
    void* body = nullptr;
    std::uint64_t parts = 0;
    std::atomic<std::uint64_t> next{0};
    /** Workers inside. Raised under the mutex, while the job is open. */
    std::atomic<unsigned> helpers{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
  };

  void run(Job& job);
  /** Runs parts until none is left, or `go_on()` is false. */
  template <class GoOn>
  static void work_on(Job& job, GoOn&& go_on) noexcept;
  void worker() noexcept;
  /** A job that the calling worker has joined, or nullptr. */
  Job* join() noexcept;
  /** Takes a job off the list, if it is there still. Under the mutex. */
  void close(Job& job) noexcept;
  /** Counts a thread out. Under the mutex. */
  void leave() noexcept;
  /** Under the mutex. */
  void start_workers() noexcept;

  /**
   * Inside the block that each thread has from its start: one that is allocated later, in a
   * library that is loaded later, confuses the leak checker of programs that are built with it.
   */
  static constinit thread_local bool in_part [[gnu::tls_model("initial-exec")]];

  const unsigned threads_;
  std::mutex mutex_;
  bool started_ = false;
  std::vector<pthread_t> workers_;
  CallersProcessor callers_processor_;
  /** Jobs whose parts have not all begun. */
  std::vector<Job*> jobs_;
  /** Size of `jobs_`, and threads inside jobs: written under the mutex, read by sleepers. */
  std::atomic<std::size_t> open_{0};
  std::atomic<unsigned> active_{0};
  plugin::Signal work_;
  plugin::Signal helped_;
};

}  // namespace collet::cpu
