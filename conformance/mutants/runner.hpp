// SPDX-License-Identifier: Apache-2.0
/** Runs collet-conformance on a mutant, and reads what it found. */
#pragma once

#include <set>
#include <string>
#include <vector>

namespace collet::mutants {

/** What a run of the judge says about one case. */
struct CaseOutcome {
  std::string name;
  std::vector<std::string> clauses;
  std::string verdict;
  std::string seen;
};

struct Setup {
  std::string judge;
  std::string interposer;
  std::string good_plugin;
  /** For reports; removed by its owner. */
  std::string folder;
  unsigned jobs = 2;
};

/**
 * Runs the cases that match `filter` (all if it is empty) on a mutant.
 *
 * @throws std::runtime_error if there is no report.
 */
[[nodiscard]] std::vector<CaseOutcome> judge_mutant(const Setup& setup, const std::string& mutant,
                                                    const std::string& filter, unsigned seed);

}  // namespace collet::mutants
