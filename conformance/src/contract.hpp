// SPDX-License-Identifier: Apache-2.0
/** The clauses of the contract, as they were when this program was built. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace collet::conformance {

struct Clause {
  /** Such as "PLUG-STR-3". */
  std::string id;
  /** The heading's sentence. */
  std::string sentence;
  /** What follows it; may be empty. */
  std::string text;
};

class Contract {
 public:
  /** The contract that was compiled in. */
  static const Contract& instance();

  /** Reads clauses from Markdown: headings `### <ID> <sentence>`. */
  explicit Contract(std::string_view markdown);

  [[nodiscard]] const std::vector<Clause>& clauses() const noexcept { return clauses_; }
  /** By its id, with or without "PLUG-"; nullptr if there is none. */
  [[nodiscard]] const Clause* find(std::string_view id) const;
  /** Where it stands in the text; the number of clauses if there is none. */
  [[nodiscard]] std::size_t position(std::string_view id) const;
  /** The id that is nearest to a misspelt one. */
  [[nodiscard]] const std::string& nearest(std::string_view id) const;

 private:
  std::vector<Clause> clauses_;
};

/** What commonly breaks a clause; empty if nothing is written about it. */
[[nodiscard]] std::string_view common_cause(std::string_view clause_id);

}  // namespace collet::conformance
