// SPDX-License-Identifier: Apache-2.0
#include "waivers.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "selection.hpp"

namespace collet::conformance {
namespace {

std::string member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string() || found->get<std::string>().empty()) {
    throw UsageError("waivers: each needs a \"" + std::string(name) +
                     "\" that is a text; one has none: " + object.dump());
  }
  return found->get<std::string>();
}

Waiver waiver_of(const nlohmann::json& object) {
  if (!object.is_object()) throw UsageError("waivers: not an object: " + object.dump());
  for (const auto& item : object.items()) {
    if (item.key() != "pattern" && item.key() != "reason" && item.key() != "link" &&
        item.key() != "expires") {
      throw UsageError("waivers: unknown member \"" + item.key() + "\"");
    }
  }
  return {member(object, "pattern"), member(object, "reason"), member(object, "link"),
          member(object, "expires")};
}

std::string today_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

void check(const Waiver& waiver, const std::string& today, const std::vector<Case>& known) {
  static const std::regex kDate("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  if (!std::regex_match(waiver.expires, kDate)) {
    throw UsageError("waivers: \"" + waiver.pattern + "\" expires on \"" + waiver.expires +
                     "\", which is no date like 2027-06-30");
  }
  if (waiver.expires < today) {
    throw UsageError("waivers: \"" + waiver.pattern + "\" has expired on " + waiver.expires +
                     "; mend the fault, or decide anew");
  }
  check_pattern(waiver.pattern);
  if (std::none_of(known.begin(), known.end(),
                   [&](const Case& which) { return matches(waiver.pattern, which); })) {
    throw UsageError("waivers: no case matches \"" + waiver.pattern + "\"; remove it");
  }
}

}  // namespace

Waivers::Waivers(const std::string& text, const std::string& today,
                 const std::vector<Case>& known) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) {
    throw UsageError(
        "waivers: expected a JSON list of "
        "{\"pattern\": ..., \"reason\": ..., \"link\": ..., \"expires\": ...}");
  }
  for (const nlohmann::json& object : list) {
    waivers_.push_back(waiver_of(object));
    check(waivers_.back(), today, known);
  }
}

Waivers Waivers::read(const std::string& path, const std::vector<Case>& known) {
  std::ifstream file(path);
  if (!file) throw UsageError("waivers: cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Waivers(text, today_text(), known);
}

const Waiver* Waivers::of(const Case& which) const {
  const auto found = std::find_if(waivers_.begin(), waivers_.end(), [&](const Waiver& waiver) {
    return matches(waiver.pattern, which);
  });
  return found == waivers_.end() ? nullptr : &*found;
}

void Waivers::apply(std::vector<CaseResult>& results) const {
  for (CaseResult& result : results) {
    const Waiver* const waiver = of(*result.which);
    if (waiver == nullptr || is_acceptable(result.verdict)) continue;
    result.unwaived = result.verdict;
    result.verdict = Verdict::kWaived;
    result.seen +=
        " [waived until " + waiver->expires + ": " + waiver->reason + ", " + waiver->link + "]";
  }
}

std::vector<std::string> Waivers::needless(const std::vector<CaseResult>& results) const {
  std::vector<std::string> out;
  for (const CaseResult& result : results) {
    const Waiver* const waiver = of(*result.which);
    if (waiver == nullptr || result.verdict != Verdict::kPass) continue;
    out.push_back("waivers: \"" + waiver->pattern + "\" matches a case that passes: " +
                  std::string(result.which->name) + "; remove it or make it narrower");
  }
  return out;
}

}  // namespace collet::conformance
