// SPDX-License-Identifier: Apache-2.0
/** Runs one case: in this process, or in one of its own. */
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "process.hpp"
#include "test.hpp"
#include "verdict.hpp"

namespace collet::conformance {

/** Runs a case here; a crash of the plugin is the end of this process. */
[[nodiscard]] CaseResult run_in_process(const Case& which, const Subject& subject,
                                        std::uint64_t seed);

/** A case that runs in a process of its own. */
class CaseProcess {
 public:
  CaseProcess(const Case& which, const Subject& subject, std::uint64_t seed,
              std::chrono::nanoseconds limit);
  CaseProcess(CaseProcess&&) noexcept;
  CaseProcess& operator=(CaseProcess&&) noexcept;
  ~CaseProcess();

  [[nodiscard]] int descriptor() const noexcept;
  [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }

  /** The result when the process has ended. */
  [[nodiscard]] CaseResult collect();
  /** The result when its time is up. */
  [[nodiscard]] CaseResult stop();

 private:
  struct Shared;

  CaseResult result_of(const ProcessEnd& end);

  const Case* which_;
  Clock::time_point start_;
  Clock::time_point deadline_;
  std::unique_ptr<Shared> shared_;
  std::optional<Process> process_;
};

}  // namespace collet::conformance
