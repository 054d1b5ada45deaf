// SPDX-License-Identifier: Apache-2.0
// The program `collet`. It uses the public API only, like any host program.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <collet/error.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "bench.hpp"
#include "cache.hpp"
#include "devices.hpp"
#include "doctor.hpp"
#include "explain.hpp"
#include "help.hpp"
#include "memory/page.hpp"
#include "memory/show.hpp"
#include "memory/symbols.hpp"
#include "report_json.hpp"

namespace collet::cli {
namespace {

// Something needs doing.
constexpr int kUnwell = 1;
// The command, or the selection of a device, is wrong.
constexpr int kWrong = 2;

constexpr std::int64_t kGreatestSize = 16384;
// About what a screen shows beside each other.
constexpr std::size_t kPageColumns = 1200;

void print(const std::string& text, std::FILE* file = stdout) { std::fputs(text.c_str(), file); }

struct Options {
  bool json = false;
  bool version = false;
  bool explain = false;
  std::string status;
  std::vector<std::string> devices;
  std::vector<std::int64_t> sizes;
  std::string file;
  std::string page;
};

int run_devices(const Options& options) {
  const Report report = make_report();
  if (options.json) {
    print(json_text(json_report(report)));
  } else {
    print(devices_text(report));
    if (options.explain) {
      print("\ncandidates for back ends:\n" + candidates_text(report));
    }
  }
  if (!report.selection_error.empty()) {
    print("collet: " + report.selection_error + "\n", stderr);
    return kWrong;
  }
  return 0;
}

int run_doctor(const Options& options) {
  const Diagnosis diagnosis = diagnose();
  print(options.json ? doctor_json(diagnosis) : doctor_text(diagnosis));
  return diagnosis.to_do.empty() ? 0 : kUnwell;
}

int run_explain(const Options& options) {
  if (options.status.empty()) {
    print(options.json ? all_statuses_json() : all_statuses_text());
    return 0;
  }
  const std::optional<collet_status_t> status = find_status(options.status);
  if (!status) {
    print("collet: there is no status \"" + options.status + "\"; " + status_hint(options.status) +
              "\n",
          stderr);
    return kWrong;
  }
  print(options.json ? explain_json(*status) : explain_text(*status));
  return 0;
}

int run_bench_matmul(const Options& options) {
  std::vector<std::int64_t> sizes = options.sizes;
  if (sizes.empty()) {
    sizes = {256, 1024};
  }
  std::vector<MatmulRow> rows;
  try {
    rows = bench_matmul(options.devices, sizes);
  } catch (const Error& error) {
    print("collet: " + std::string(error.what()) + "\n", stderr);
    return kWrong;
  }
  print(options.json ? matmul_json(rows) : matmul_text(rows));
  for (const MatmulRow& row : rows) {
    if (row.fault.empty()) {
      return 0;
    }
  }
  print("collet: no device here has run a matrix product; `collet doctor` looks for the reason\n",
        stderr);
  return kUnwell;
}

int run_memory_show(const Options& options) {
  std::ifstream file(options.file, std::ios::binary);
  if (!file) {
    print("collet: cannot open " + options.file + ": " + std::strerror(errno) + "\n", stderr);
    return kWrong;
  }
  History history;
  try {
    history = read_history(file);
  } catch (const MalformedHistory& error) {
    print("collet: " + options.file + ": " + error.what() + "\n", stderr);
    return kWrong;
  }
  add_symbols(history);
  const HistoryModel model = model_of(history, kPageColumns);
  if (options.page.empty()) {
    print(history_text(history, model));
    return 0;
  }
  std::ofstream page(options.page, std::ios::binary);
  page << history_page(history, model) << std::flush;
  if (!page) {
    print("collet: cannot write " + options.page + ": " + std::strerror(errno) + "\n", stderr);
    return kWrong;
  }
  return 0;
}

int run_cache(const Options& options) {
  const std::string warning = cache_warning();
  if (!warning.empty()) {
    print("collet: " + warning + "\n", stderr);
  }
  print(options.json ? json_text(cache_json()) : cache_line() + "\n");
  return warning.empty() ? 0 : kUnwell;
}

int run_cache_clear(const Options& /*options*/) {
  print(clear_cache() + "\n");
  return 0;
}

using Help = std::string (*)();
using Run = int (*)(const Options&);

struct Command {
  CLI::App* app;
  Help help;
  Run run;
};

// A command with a help text of its own. Prints nothing of CLI11's.
CLI::App* add_command(CLI::App& app, const char* name, Help help) {
  CLI::App* command = app.add_subcommand(name);
  command->formatter_fn([help](const CLI::App* /*app*/, const std::string& /*name*/,
                               CLI::AppFormatMode /*mode*/) { return help(); });
  return command;
}

std::vector<Command> add_commands(CLI::App& app, Options& options) {
  CLI::App* devices = add_command(app, "devices", devices_help_text);
  devices->add_flag("--json", options.json);
  devices->add_flag("--explain", options.explain);
  CLI::App* doctor = add_command(app, "doctor", doctor_help_text);
  doctor->add_flag("--json", options.json);
  CLI::App* explain = add_command(app, "explain", explain_help_text);
  explain->add_flag("--json", options.json);
  explain->add_option("status", options.status);
  CLI::App* bench = add_command(app, "bench", bench_help_text);
  bench->require_subcommand(1);
  CLI::App* matmul = add_command(*bench, "matmul", bench_help_text);
  matmul->add_flag("--json", options.json);
  matmul->add_option("--device", options.devices)->allow_extra_args(false);
  matmul->add_option("--size", options.sizes)
      ->allow_extra_args(false)
      ->check(CLI::Range(std::int64_t{1}, kGreatestSize));
  CLI::App* memory = add_command(app, "memory", memory_help_text);
  memory->require_subcommand(1);
  CLI::App* show = add_command(*memory, "show", memory_help_text);
  show->add_option("file", options.file)->required();
  show->add_option("--html", options.page);
  CLI::App* cache = add_command(app, "cache", cache_help_text);
  cache->add_flag("--json", options.json);
  CLI::App* clear = add_command(*cache, "clear", cache_help_text);
  return {{devices, devices_help_text, run_devices},   {doctor, doctor_help_text, run_doctor},
          {explain, explain_help_text, run_explain},   {matmul, bench_help_text, run_bench_matmul},
          {bench, bench_help_text, run_bench_matmul},  {show, memory_help_text, run_memory_show},
          {memory, memory_help_text, run_memory_show}, {clear, cache_help_text, run_cache_clear},
          {cache, cache_help_text, run_cache}};
}

int run(int argc, char** argv) {
  CLI::App app;
  Options options;
  app.add_flag("--version", options.version);
  const std::vector<Command> commands = add_commands(app, options);
  const auto chosen = [&]() -> const Command* {
    for (const Command& command : commands) {
      if (command.app->parsed()) {
        return &command;
      }
    }
    return nullptr;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Command* command = chosen();
    print(command != nullptr ? command->help() : help_text());
    return 0;
  } catch (const CLI::ParseError& error) {
    print("collet: " + std::string(error.what()) + "\n`collet --help` shows what there is\n",
          stderr);
    return kWrong;
  }
  if (const Command* command = chosen()) {
    return command->run(options);
  }
  print(options.version ? version_text() : help_text());
  return 0;
}

}  // namespace
}  // namespace collet::cli

int main(int argc, char** argv) {
  try {
    const int status = collet::cli::run(argc, argv);
    // A full disk or a closed pipe must not look like success.
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? status : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collet: %s\n", error.what());
    return 1;
  } catch (...) {
    std::fputs("collet: unknown exception\n", stderr);
    return 1;
  }
}
