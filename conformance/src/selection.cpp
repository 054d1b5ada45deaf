// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <regex>

#include "contract.hpp"

namespace collet::conformance {
namespace {

constexpr std::string_view kPrefix = "PLUG-";

bool matches_text(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

bool matches(std::string_view pattern, const Case& which) {
  const std::string glob(pattern);
  if (matches_text(glob, std::string(which.name))) return true;
  return std::any_of(which.clauses.begin(), which.clauses.end(), [&](std::string_view id) {
    return matches_text(glob, std::string(id)) ||
           matches_text(glob, std::string(id.substr(kPrefix.size())));
  });
}

void check_pattern(std::string_view pattern) {
  static const std::regex kClause("(PLUG-)?[A-Z]+-[0-9]+");
  if (!std::regex_match(pattern.begin(), pattern.end(), kClause)) return;
  const Contract& contract = Contract::instance();
  if (contract.find(pattern) != nullptr) return;
  throw UsageError("there is no clause \"" + std::string(pattern) + "\"; the nearest is " +
                   contract.nearest(pattern));
}

std::vector<const Case*> select_cases(const std::vector<std::string>& patterns, bool with_large) {
  for (const std::string& pattern : patterns) {
    check_pattern(pattern);
    const bool means_one = std::any_of(all_cases().begin(), all_cases().end(),
                                       [&](const Case& which) { return matches(pattern, which); });
    if (!means_one) {
      throw UsageError("no case matches \"" + pattern + "\"; --list shows them all");
    }
  }
  std::vector<const Case*> selected;
  for (const Case& which : all_cases()) {
    if (which.kind == CaseClass::kLarge && !with_large) continue;
    const bool is_meant = patterns.empty() ||
                          std::any_of(patterns.begin(), patterns.end(),
                                      [&](const auto& pattern) { return matches(pattern, which); });
    if (is_meant) selected.push_back(&which);
  }
  if (selected.empty()) {
    throw UsageError("no case is selected; large ones run only with --large");
  }
  return selected;
}

}  // namespace collet::conformance
