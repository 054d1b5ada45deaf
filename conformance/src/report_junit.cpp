// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <ostream>

#include "report.hpp"
#include "selection.hpp"

namespace collet::conformance {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML has no place for other control characters, nor this program for broken UTF-8.
        out += (c >= ' ' && c <= '~') || c == '\n' || c == '\t' ? c : '?';
    }
  }
  return out;
}

/** "STR" of "PLUG-STR-3": the class name of a test case. */
std::string area_of(const Case& which) {
  if (which.clauses.empty()) return "conformance";
  const std::string id(which.clauses.front());
  const std::size_t first = id.find('-');
  return id.substr(first + 1, id.rfind('-') - first - 1);
}

void write_outcome(std::ostream& out, const CaseResult& result) {
  const std::string message =
      "message=\"" + escaped(verdict_name(result.verdict)) + ": " + escaped(result.seen) + "\"";
  if (result.verdict == Verdict::kNotSupported || result.verdict == Verdict::kWaived) {
    out << "<skipped " << message << "/>";
  } else if (result.verdict == Verdict::kFail) {
    out << "<failure " << message << ">" << escaped(result.place) << "</failure>";
  } else if (result.verdict != Verdict::kPass) {
    out << "<error " << message << "/>";
  }
  if (!result.log.empty()) out << "<system-out>" << escaped(result.log) << "</system-out>";
}

template <class Write>
void write_file(const std::filesystem::path& path, Write&& write) {
  std::ofstream file(path);
  write(file);
  file.flush();
  if (!file) throw UsageError("cannot write " + path.string());
}

}  // namespace

void write_junit(std::ostream& out, const RunReport& report) {
  const std::size_t skipped = report.count(Verdict::kNotSupported) + report.count(Verdict::kWaived);
  const std::size_t failures = report.count(Verdict::kFail);
  const std::size_t errors =
      report.results.size() - skipped - failures - report.count(Verdict::kPass);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      << "<testsuite name=\"collet-conformance " << escaped(report.identity.device_id)
      << "\" tests=\"" << report.results.size() << "\" failures=\"" << failures << "\" errors=\""
      << errors << "\" skipped=\"" << skipped << "\" time=\"" << report.seconds << "\">\n";
  for (const CaseResult& result : report.results) {
    out << "<testcase classname=\"" << area_of(*result.which) << "\" name=\""
        << escaped(result.which->name) << "\" time=\"" << result.seconds << "\">";
    write_outcome(out, result);
    out << "</testcase>\n";
  }
  out << "</testsuite>\n";
}

void write_folder(const std::string& folder, const RunReport& report) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) throw UsageError("cannot make the folder " + folder + ": " + fault.message());
  const std::filesystem::path root(folder);
  write_file(root / "report.txt", [&](std::ostream& out) { write_text(out, report); });
  write_file(root / "results.jsonl", [&](std::ostream& out) { write_json_lines(out, report); });
  write_file(root / "junit.xml", [&](std::ostream& out) { write_junit(out, report); });
}

}  // namespace collet::conformance
