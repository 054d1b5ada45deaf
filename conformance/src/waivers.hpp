// SPDX-License-Identifier: Apache-2.0
/** Failures that a vendor knows of, and stands by until a day. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "case.hpp"
#include "verdict.hpp"

namespace collet::conformance {

struct Waiver {
  /** As a pattern of --filter. */
  std::string pattern;
  std::string reason;
  /** Where the fault is followed up. */
  std::string link;
  /** The last day on which it holds: "2027-06-30". */
  std::string expires;
};

class Waivers {
 public:
  Waivers() = default;

  /**
   * Reads a JSON list of objects with the four members of Waiver.
   *
   * @param today  "2026-11-30".
   * @throws UsageError for text that is no such list, for an expired waiver, and for one that no
   *         case in `known` matches.
   */
  Waivers(const std::string& text, const std::string& today, const std::vector<Case>& known);
  static Waivers read(const std::string& path, const std::vector<Case>& known);

  /** Turns what is waived into the verdict "waived". */
  void apply(std::vector<CaseResult>& results) const;
  /** One sentence for each case that passes although it is waived. */
  [[nodiscard]] std::vector<std::string> needless(const std::vector<CaseResult>& results) const;

  [[nodiscard]] bool empty() const noexcept { return waivers_.empty(); }

 private:
  [[nodiscard]] const Waiver* of(const Case& which) const;

  std::vector<Waiver> waivers_;
};

}  // namespace collet::conformance
