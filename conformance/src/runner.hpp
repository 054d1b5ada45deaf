// SPDX-License-Identifier: Apache-2.0
/** Runs the selected cases, several at a time, each in a process of its own. */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "test.hpp"
#include "verdict.hpp"

namespace collet::conformance {

struct RunOptions {
  Subject subject;
  std::size_t jobs = 1;
  std::uint64_t seed = 1;
  bool is_in_process = false;
  /** Instead of each case's own limit, where it is not 0. */
  std::chrono::seconds limit{0};
};

/** Called with each result as it comes. */
using Progress = std::function<void(const CaseResult&)>;

/** The results, in the order of `cases`. */
[[nodiscard]] std::vector<CaseResult> run_cases(const std::vector<const Case*>& cases,
                                                const RunOptions& options,
                                                const Progress& progress);

/** What a plugin says of itself and of a device; texts are empty where it cannot be asked. */
struct Identity {
  std::string backend;
  std::string version;
  std::string vendor;
  std::uint32_t device_count = 0;
  std::string device_id;
  std::string device_name;
  std::string device_vendor;
  std::string driver;
  /** Why it could not be asked; empty where it could. */
  std::string fault;
};

/** Asks in a process of its own. */
[[nodiscard]] Identity identify(const Subject& subject);

}  // namespace collet::conformance
