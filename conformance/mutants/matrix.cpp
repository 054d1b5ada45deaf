// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>

namespace collet::mutants {
namespace {

bool has_clause(const CaseOutcome& outcome, std::string_view clause) {
  return std::find(outcome.clauses.begin(), outcome.clauses.end(), clause) != outcome.clauses.end();
}

/** A crash is a kill only where it is the fault. */
bool is_kill(const Mutant& mutant, const CaseOutcome& outcome) {
  if (!has_clause(outcome, mutant.clause)) return false;
  const bool is_fatal_verdict = outcome.verdict == "crashed" || outcome.verdict == "timed out";
  return outcome.verdict == "fail" || (mutant.is_fatal && is_fatal_verdict);
}

bool may_fail(const Mutant& mutant, const CaseOutcome& outcome) {
  return has_clause(outcome, mutant.clause) ||
         std::any_of(mutant.also.begin(), mutant.also.end(),
                     [&](std::string_view clause) { return has_clause(outcome, clause); });
}

const char* word(const Fate& fate) {
  if (fate.is_beyond) return "beyond";
  return fate.is_killed() ? "killed" : "ALIVE";
}

}  // namespace

void count_round(Fate& fate, const std::vector<CaseOutcome>& outcomes) {
  ++fate.rounds;
  bool is_killed = false;
  fate.is_beyond = true;
  for (const CaseOutcome& outcome : outcomes) {
    if (outcome.verdict != "not supported") fate.is_beyond = false;
    if (!is_kill(*fate.mutant, outcome)) continue;
    is_killed = true;
    if (fate.seen.empty()) fate.seen = outcome.seen;
    ++fate.killers[outcome.name];
  }
  if (!is_killed) ++fate.survived;
}

void note_strays(Fate& fate, const std::vector<CaseOutcome>& outcomes) {
  for (const CaseOutcome& outcome : outcomes) {
    const bool is_well = outcome.verdict == "pass" || outcome.verdict == "not supported";
    if (is_well || may_fail(*fate.mutant, outcome)) continue;
    fate.strays.push_back(outcome.name + " (" + outcome.verdict + ": " + outcome.seen + ")");
  }
}

void write_text(std::ostream& out, const std::vector<Fate>& fates) {
  std::size_t killed = 0;
  std::size_t beyond = 0;
  for (const Fate& fate : fates) {
    const Mutant& mutant = *fate.mutant;
    killed += !fate.is_beyond && fate.is_killed() ? 1 : 0;
    beyond += fate.is_beyond ? 1 : 0;
    out << ' ' << std::left << std::setw(12) << mutant.clause << ' ' << std::setw(26) << mutant.id
        << ' ' << std::setw(7) << word(fate) << ' ' << fate.rounds - fate.survived << " of "
        << fate.rounds << "  " << mutant.fault << '\n';
    for (const auto& [name, count] : fate.killers) {
      out << std::string(14, ' ') << "by " << name << '\n';
    }
    for (const std::string& stray : fate.strays) {
      out << std::string(14, ' ') << "STRAY: " << stray << '\n';
    }
  }
  out << ' ' << killed << " of " << fates.size() - beyond << " mutants killed";
  if (beyond > 0) out << ", " << beyond << " beyond what the plugin supports";
  out << '\n';
}

void write_json(std::ostream& out, const std::string& plugin, const std::vector<Fate>& fates) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Fate& fate : fates) {
    list.push_back({{"clause", fate.mutant->clause},
                    {"mutant", fate.mutant->id},
                    {"fault", fate.mutant->fault},
                    {"also", fate.mutant->also},
                    {"fate", word(fate)},
                    {"rounds", fate.rounds},
                    {"killed", fate.rounds - fate.survived},
                    {"cases", fate.killers},
                    {"seen", fate.seen},
                    {"strays", fate.strays}});
  }
  out << nlohmann::ordered_json{{"plugin", plugin}, {"mutants", list}}.dump(1) << '\n';
}

bool is_good(const std::vector<Fate>& fates) {
  return std::all_of(fates.begin(), fates.end(), [](const Fate& fate) {
    return (fate.is_beyond || fate.is_killed()) && fate.strays.empty();
  });
}

}  // namespace collet::mutants
