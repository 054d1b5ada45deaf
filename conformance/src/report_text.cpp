// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "contract.hpp"
#include "report.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kDots = 24;
/** Width of the left column of a block. */
constexpr std::size_t kLabel = 19;

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s", seconds);
  return text;
}

std::string capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/** The name without the clause that it begins with. */
std::string sentence_of(const Case& which) {
  const std::size_t space = which.name.find(' ');
  return std::string(space == std::string_view::npos ? which.name : which.name.substr(space + 1));
}

std::string short_id(const Case& which) {
  return std::string(which.name.substr(0, which.name.find(' ')));
}

void write_block(std::ostream& out, const RunReport& report, const CaseResult& result) {
  const auto line = [&](const char* label, const std::string& text) {
    out << std::string(9, ' ') << padded(label, kLabel - 9) << text << '\n';
  };
  const Case& which = *result.which;
  out << ' ' << short_id(which) << "  " << capitals(verdict_name(result.verdict)) << "  "
      << sentence_of(which) << "  " << seconds_text(result.seconds) << '\n';
  for (const std::string_view id : which.clauses) {
    if (const Clause* const clause = Contract::instance().find(id)) {
      line("contract:",
           '"' + clause->sentence + (clause->text.empty() ? "" : " ") + clause->text + '"');
    }
  }
  line("seen:", result.seen + (result.place.empty() ? "" : "  (" + result.place + ")"));
  const std::string_view cause =
      which.clauses.empty() ? std::string_view() : common_cause(which.clauses.front());
  if (!cause.empty()) line("often:", std::string(cause));
  line("again:", "collet-conformance run " + report.options.subject.plugin_path + " --filter '" +
                     std::string(which.name) + "' --seed " + std::to_string(report.options.seed) +
                     " --in-process");
  if (!result.log.empty()) line("log:", result.log);
  out << '\n';
}

/** "operations, pinned memory", of the cases that are not supported. */
std::string absent_capabilities(const RunReport& report) {
  std::set<std::string_view> names;
  for (const CaseResult& result : report.results) {
    if (result.verdict != Verdict::kNotSupported) continue;
    for (const Capability capability : result.which->needs) {
      if (result.seen.starts_with(capability_name(capability))) {
        names.insert(capability_name(capability));
      }
    }
  }
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void write_sums(std::ostream& out, const RunReport& report) {
  const std::string_view verdict = !report.is_good()  ? "not conformant"
                                   : !report.is_whole ? "passed, as far as selected"
                                                      : "conformant";
  out << ' ' << verdict << ": " << report.count(Verdict::kPass) << " passed, "
      << report.count(Verdict::kFail) << " failed";
  for (const Verdict other :
       {Verdict::kCrashed, Verdict::kTimedOut, Verdict::kInconclusive, Verdict::kWaived}) {
    const std::size_t count = report.count(other);
    if (count > 0) out << ", " << count << ' ' << verdict_name(other);
  }
  const std::size_t absent = report.count(Verdict::kNotSupported);
  if (absent > 0) {
    const std::string names = absent_capabilities(report);
    out << ", " << absent << " not supported";
    if (!names.empty()) out << " (" << names << ": declared absent)";
  }
  out << '\n';
}

}  // namespace

std::size_t RunReport::count(Verdict verdict) const {
  std::size_t number = 0;
  for (const CaseResult& result : results) number += result.verdict == verdict ? 1 : 0;
  return number;
}

bool RunReport::is_good() const {
  if (!faults.empty()) return false;
  for (const CaseResult& result : results) {
    if (!is_acceptable(result.verdict)) return false;
  }
  return true;
}

ProgressLine::ProgressLine(std::ostream& out, const Identity& identity, const RunOptions& options,
                           std::size_t case_count)
    : out_(out), case_count_(case_count) {
  if (!identity.fault.empty()) out_ << " " << identity.fault << '\n';
  out_ << " running " << case_count << " cases on "
       << (identity.device_id.empty() ? options.subject.plugin_path : identity.device_id);
  if (!identity.device_name.empty()) out_ << " (" << identity.device_name << ")";
  out_ << ", seed " << options.seed << ' ' << std::flush;
}

void ProgressLine::step() {
  ++done_;
  for (; dots_ < done_ * kDots / case_count_; ++dots_) out_ << '.' << std::flush;
}

void ProgressLine::end(double seconds) { out_ << ' ' << seconds_text(seconds) << '\n'; }

void write_text(std::ostream& out, const RunReport& report) {
  for (const CaseResult& result : report.results) {
    const bool is_worth_a_block =
        result.verdict != Verdict::kPass && result.verdict != Verdict::kNotSupported;
    if (is_worth_a_block) write_block(out, report, result);
  }
  for (const std::string& fault : report.faults) out << ' ' << fault << '\n';
  write_sums(out, report);
}

}  // namespace collet::conformance
