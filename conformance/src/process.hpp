// SPDX-License-Identifier: Apache-2.0
/** Processes that are forked off and watched. */
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace collet::conformance {

using Clock = std::chrono::steady_clock;

/** How a process ended. */
struct ProcessEnd {
  enum class How { kExit, kSignal, kStopped };

  How how = How::kExit;
  /** Exit status, or number of the signal. */
  int code = 0;

  /** "exited with status 3", "was ended by SIGSEGV", "was stopped after its time". */
  [[nodiscard]] std::string text() const;
};

/** A child, with a process group of its own that ends with it. */
class Process {
 public:
  /** Forks and runs `body()`; the child exits with 0 when that returns. */
  explicit Process(const std::function<void()>& body);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /** Kills what still runs. */
  ~Process();

  /** Readable once the process has ended, for poll(). */
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /** Waits until it has ended; false: it had not at `deadline`. */
  [[nodiscard]] bool wait_until(Clock::time_point deadline) const;

  /** Collects it when it has ended. */
  ProcessEnd collect();
  /** Kills it, with all that it has started. */
  ProcessEnd stop();

 private:
  pid_t id_ = -1;
  int descriptor_ = -1;
};

/** Whether this process was forked by Process. */
[[nodiscard]] bool is_child_process() noexcept;

/** Runs `body` in a child and waits for its end, at most `limit`. */
[[nodiscard]] ProcessEnd run_in_child(const std::function<void()>& body,
                                      std::chrono::nanoseconds limit);

}  // namespace collet::conformance
