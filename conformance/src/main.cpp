// SPDX-License-Identifier: Apache-2.0
/** collet-conformance: judges the binary of a plugin by the clauses of the contract. */
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "explain.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "selection.hpp"
#include "waivers.hpp"

namespace {

using namespace collet::conformance;  // NOLINT(google-build-using-namespace): the program's own

constexpr int kConformant = 0;
constexpr int kNotConformant = 1;
constexpr int kUsage = 2;

struct Arguments {
  std::string plugin;
  std::string device;
  std::vector<std::string> filters;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string out;
  std::uint64_t seed = 1;
  bool is_in_process = false;
  std::string waivers;
  bool is_list = false;
  bool with_large = false;
  double patience_s = 10;
  unsigned limit_s = 0;
  std::string clause;
};

/** "acme:3" gives 3; the name must be that of the plugin's file. */
std::uint32_t device_index(const Arguments& arguments) {
  if (arguments.device.empty()) return 0;
  const std::size_t colon = arguments.device.rfind(':');
  const std::string digits = colon == std::string::npos ? "" : arguments.device.substr(colon + 1);
  const bool is_number = !digits.empty() && digits.size() < 6 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    throw UsageError("--device " + arguments.device + ": expected name:index, such as cpu:0");
  }
  return static_cast<std::uint32_t>(std::stoul(digits));
}

/** Fails if the name in --device is not the plugin's, or the plugin has no such device. */
void check_identity(const Arguments& arguments, const Identity& identity) {
  if (identity.backend.empty()) {
    throw UsageError(arguments.plugin + ": " + identity.fault);
  }
  const std::string wanted = arguments.device.substr(0, arguments.device.rfind(':'));
  if (!arguments.device.empty() && wanted != identity.backend) {
    throw UsageError("--device " + arguments.device + ": the plugin's name is \"" +
                     identity.backend + "\"");
  }
}

RunReport run_and_report(const Arguments& arguments, const std::vector<const Case*>& cases,
                         const Waivers& waivers) {
  RunReport report;
  report.options.subject = {std::filesystem::absolute(arguments.plugin).string(),
                            device_index(arguments)};
  report.options.jobs = std::max<std::size_t>(arguments.jobs, 1);
  report.options.seed = arguments.seed;
  report.options.is_in_process = arguments.is_in_process;
  report.options.limit = std::chrono::seconds(arguments.limit_s);
  report.is_whole = arguments.filters.empty();
  report.identity = identify(report.options.subject);
  check_identity(arguments, report.identity);

  const auto start = std::chrono::steady_clock::now();
  ProgressLine line(std::cout, report.identity, report.options, cases.size());
  report.results = run_cases(cases, report.options, [&](const CaseResult&) { line.step(); });
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  line.end(report.seconds);
  report.faults = waivers.needless(report.results);
  waivers.apply(report.results);
  return report;
}

int run(const Arguments& arguments) {
  const std::vector<const Case*> cases = select_cases(arguments.filters, arguments.with_large);
  if (arguments.is_list) {
    list_cases(std::cout, cases);
    return kConformant;
  }
  if (arguments.plugin.empty()) {
    throw UsageError("say which plugin to judge: collet-conformance run ./libcollet_acme.so");
  }
  const Waivers waivers =
      arguments.waivers.empty() ? Waivers() : Waivers::read(arguments.waivers, all_cases());
  set_patience(std::chrono::nanoseconds(static_cast<std::int64_t>(arguments.patience_s * 1e9)));
  const RunReport report = run_and_report(arguments, cases, waivers);
  write_text(std::cout, report);
  if (!arguments.out.empty()) write_folder(arguments.out, report);
  return report.is_good() ? kConformant : kNotConformant;
}

void add_run(CLI::App& app, Arguments& arguments) {
  app.add_option("plugin", arguments.plugin, "The plugin's file: ./libcollet_acme.so");
  app.add_option("--device", arguments.device, "Which device, as name:index; the first otherwise");
  app.add_option("--filter", arguments.filters,
                 "Only cases that match: a clause (STR-3, 'STR-*') or a case's name");
  app.add_option("--jobs", arguments.jobs, "Cases at a time");
  app.add_option("--out", arguments.out, "Folder for report.txt, results.jsonl and junit.xml");
  app.add_option("--seed", arguments.seed, "Seed of the random cases");
  app.add_flag("--in-process", arguments.is_in_process,
               "No processes of their own and no watchdog: for debuggers");
  app.add_option("--waivers", arguments.waivers, "JSON file of failures that are known");
  app.add_flag("--list", arguments.is_list, "Only print the selected cases");
  app.add_flag("--large", arguments.with_large, "Also the cases that need gigabytes of memory");
  app.add_option("--patience", arguments.patience_s,
                 "Seconds that something may take that must happen at once");
  app.add_option("--limit", arguments.limit_s, "Seconds a case may take, instead of its own limit");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Judges the binary of a Collet plugin by the clauses of the contract."};
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App* const run_command = app.add_subcommand("run", "Runs the cases on a plugin");
  add_run(*run_command, arguments);
  CLI::App* const explain_command = app.add_subcommand("explain", "Explains a clause");
  explain_command->add_option("clause", arguments.clause, "Such as STR-3")->required();
  try {
    app.parse(argc, argv);
    if (run_command->parsed()) return run(arguments);
    explain(std::cout, arguments.clause);
    return kConformant;
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? kConformant : kUsage;
  } catch (const UsageError& error) {
    std::cerr << "collet-conformance: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "collet-conformance: " << error.what() << '\n';
  }
  return kUsage;
}
