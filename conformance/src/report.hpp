// SPDX-License-Identifier: Apache-2.0
/** What a run leaves: text for people, JSON lines and JUnit for programs. */
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "runner.hpp"
#include "verdict.hpp"

namespace collet::conformance {

struct RunReport {
  RunOptions options;
  Identity identity;
  std::vector<CaseResult> results;
  /** Whether all cases but large ones were selected. */
  bool is_whole = true;
  /** Mistakes in the waivers that only the results show. */
  std::vector<std::string> faults;
  double seconds = 0;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
  /** Every selected case is acceptable, and there are no faults. */
  [[nodiscard]] bool is_good() const;
};

/** "running 412 cases on acme:0 (Acme reference device)", and a dot now and then. */
class ProgressLine {
 public:
  ProgressLine(std::ostream& out, const Identity& identity, const RunOptions& options,
               std::size_t case_count);
  void step();
  void end(double seconds);

 private:
  std::ostream& out_;
  std::size_t case_count_;
  std::size_t done_ = 0;
  std::size_t dots_ = 0;
};

/** A block for each case that has not passed, and the verdict over all. */
void write_text(std::ostream& out, const RunReport& report);
/** A line for the run, one for each case, one for the sums. */
void write_json_lines(std::ostream& out, const RunReport& report);
void write_junit(std::ostream& out, const RunReport& report);

/** All of them into a folder: report.txt, results.jsonl, junit.xml. @throws UsageError */
void write_folder(const std::string& folder, const RunReport& report);

}  // namespace collet::conformance
