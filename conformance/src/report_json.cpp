// SPDX-License-Identifier: Apache-2.0
#include <collet/base.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "report.hpp"

namespace collet::conformance {
namespace {

using Json = nlohmann::ordered_json;

/** Output of a plugin need not be UTF-8. */
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json run_json(const RunReport& report) {
  const Identity& identity = report.identity;
  return {{"kind", "run"},
          {"suite", COLLET_VERSION_TEXT},
          {"plugin", report.options.subject.plugin_path},
          {"backend", identity.backend},
          {"version", identity.version},
          {"vendor", identity.vendor},
          {"device", identity.device_id},
          {"device_name", identity.device_name},
          {"device_vendor", identity.device_vendor},
          {"driver", identity.driver},
          {"seed", report.options.seed},
          {"whole", report.is_whole},
          {"cases", report.results.size()}};
}

Json case_json(const CaseResult& result) {
  Json needs = Json::array();
  for (const Capability capability : result.which->needs)
    needs.push_back(capability_name(capability));
  Json json = {{"kind", "case"},
               {"name", result.which->name},
               {"clauses", result.which->clauses},
               {"class", class_name(result.which->kind)},
               {"needs", needs},
               {"verdict", verdict_name(result.verdict)},
               {"seconds", result.seconds}};
  if (result.verdict == Verdict::kWaived) json["unwaived"] = verdict_name(result.unwaived);
  if (!result.seen.empty()) json["seen"] = result.seen;
  if (!result.place.empty()) json["place"] = result.place;
  if (!result.log.empty()) json["log"] = result.log;
  return json;
}

Json sums_json(const RunReport& report) {
  Json json = {{"kind", "sums"}, {"good", report.is_good()}, {"seconds", report.seconds}};
  for (const Verdict verdict :
       {Verdict::kPass, Verdict::kFail, Verdict::kNotSupported, Verdict::kInconclusive,
        Verdict::kCrashed, Verdict::kTimedOut, Verdict::kWaived}) {
    json[std::string(verdict_name(verdict))] = report.count(verdict);
  }
  json["faults"] = report.faults;
  return json;
}

}  // namespace

void write_json_lines(std::ostream& out, const RunReport& report) {
  out << dump(run_json(report)) << '\n';
  for (const CaseResult& result : report.results) out << dump(case_json(result)) << '\n';
  out << dump(sums_json(report)) << '\n';
}

}  // namespace collet::conformance
