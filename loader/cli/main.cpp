// SPDX-License-Identifier: Apache-2.0
// The program `collet`. It uses the C API only, like any host program.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "devices.hpp"
#include "help.hpp"

namespace collet::cli {
namespace {

constexpr int kWrong = 2;

void print(const std::string& text, std::FILE* file = stdout) { std::fputs(text.c_str(), file); }

int run_devices(bool json) {
  const Report report = make_report();
  print(json ? json_of(report) : table_of(report));
  if (!report.selection_error.empty()) {
    print("collet: " + report.selection_error + "\n", stderr);
    return kWrong;
  }
  return 0;
}

auto fixed_help(std::string (*text)()) {
  return [text](const CLI::App* /*app*/, const std::string& /*name*/, CLI::AppFormatMode /*mode*/) {
    return text();
  };
}

int run(int argc, char** argv) {
  CLI::App app;
  app.formatter_fn(fixed_help(help_text));
  bool version = false;
  app.add_flag("--version", version);
  CLI::App* devices = app.add_subcommand("devices");
  devices->formatter_fn(fixed_help(devices_help_text));
  bool json = false;
  devices->add_flag("--json", json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(devices->parsed() ? devices_help_text() : help_text());
    return 0;
  } catch (const CLI::ParseError& error) {
    print("collet: " + std::string(error.what()) + "\n`collet --help` shows what there is\n",
          stderr);
    return kWrong;
  }
  if (devices->parsed()) {
    return run_devices(json);
  }
  print(version ? version_text() : help_text());
  return 0;
}

}  // namespace
}  // namespace collet::cli

int main(int argc, char** argv) {
  try {
    const int status = collet::cli::run(argc, argv);
    // A full disk or a closed pipe must not look like success.
    return std::fflush(stdout) == 0 ? status : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collet: %s\n", error.what());
    return 1;
  } catch (...) {
    std::fputs("collet: unknown exception\n", stderr);
    return 1;
  }
}
