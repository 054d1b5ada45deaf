// SPDX-License-Identifier: Apache-2.0
/** Which mutant was killed by which case. */
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "mutant.hpp"
#include "runner.hpp"

namespace collet::mutants {

/** What became of one mutant. */
struct Fate {
  const Mutant* mutant = nullptr;
  /** Runs of its clause's cases, and how many of them it survived. */
  unsigned rounds = 0;
  unsigned survived = 0;
  /** Cases of its clause that failed: how often. */
  std::map<std::string, unsigned> killers;
  /** What the first of them has seen. */
  std::string seen;
  /** Cases of other clauses that did not pass, although they should. */
  std::vector<std::string> strays;
  /** The clause's cases need something that the good plugin lacks. */
  bool is_beyond = false;

  [[nodiscard]] bool is_killed() const { return rounds > 0 && survived == 0; }
};

/** Counts one run of the cases of the mutant's clause. */
void count_round(Fate& fate, const std::vector<CaseOutcome>& outcomes);
/** Notes cases that do not pass and are of none of the clauses that the mutant may break. */
void note_strays(Fate& fate, const std::vector<CaseOutcome>& outcomes);

/** A line for each mutant, and the sums. */
void write_text(std::ostream& out, const std::vector<Fate>& fates);
/** Clause x mutant x case. */
void write_json(std::ostream& out, const std::string& plugin, const std::vector<Fate>& fates);

/** All are killed or beyond the plugin, and there are no strays. */
[[nodiscard]] bool is_good(const std::vector<Fate>& fates);

}  // namespace collet::mutants
