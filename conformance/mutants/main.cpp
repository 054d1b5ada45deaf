// SPDX-License-Identifier: Apache-2.0
/**
 * collet-mutants: shows that collet-conformance catches faults.
 *
 * Runs it on a good plugin with each mutant in front of it: a case of the mutant's clause must
 * fail. Mutant 0, which changes nothing, must be conformant.
 */
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "matrix.hpp"

namespace {

using namespace collet::mutants;  // NOLINT(google-build-using-namespace): the program's own

constexpr unsigned kFullRounds = 20;

struct Arguments {
  Setup setup;
  std::vector<std::string> mutants;
  std::string out;
  bool is_full = false;
  bool is_list = false;
};

void list_mutants() {
  for (const Mutant& mutant : all_mutants()) {
    std::cout << mutant.id << '\t' << mutant.clause << '\t' << mutant.fault << '\n';
  }
}

/** Mutant 0: all must pass. */
bool is_clean(const Setup& setup) {
  bool is_good = true;
  for (const CaseOutcome& outcome : judge_mutant(setup, "0", "", 1)) {
    if (outcome.verdict == "pass" || outcome.verdict == "not supported") continue;
    std::cout << " 0 is not clean: " << outcome.name << ": " << outcome.verdict << ": "
              << outcome.seen << '\n';
    is_good = false;
  }
  return is_good;
}

Fate judge(const Setup& setup, const Mutant& mutant, bool is_full) {
  Fate fate;
  fate.mutant = &mutant;
  const std::string id(mutant.id);
  for (unsigned round = 0; round < (is_full ? kFullRounds : 1); ++round) {
    count_round(fate, judge_mutant(setup, id, std::string(mutant.clause), round + 1));
  }
  if (is_full && !fate.is_beyond) note_strays(fate, judge_mutant(setup, id, "", 1));
  return fate;
}

bool is_wanted(const Arguments& arguments, const Mutant& mutant) {
  const std::string id(mutant.id);
  return arguments.mutants.empty() ||
         std::any_of(arguments.mutants.begin(), arguments.mutants.end(),
                     [&](const std::string& pattern) {
                       return fnmatch(pattern.c_str(), id.c_str(), 0) == 0;
                     });
}

int run(const Arguments& arguments) {
  bool is_all_good = !arguments.mutants.empty() || is_clean(arguments.setup);
  std::vector<Fate> fates;
  for (const Mutant& mutant : all_mutants()) {
    if (is_wanted(arguments, mutant)) {
      fates.push_back(judge(arguments.setup, mutant, arguments.is_full));
    }
  }
  if (fates.empty()) throw std::runtime_error("no mutant is selected");
  write_text(std::cout, fates);
  if (!arguments.out.empty()) {
    std::filesystem::create_directories(arguments.out);
    std::ofstream text(arguments.out + "/mutants.txt");
    write_text(text, fates);
    std::ofstream json(arguments.out + "/mutants.json");
    write_json(json, arguments.setup.good_plugin, fates);
  }
  is_all_good = is_good(fates) && is_all_good;
  return is_all_good ? 0 : 1;
}

/** The programs of a build lie where this one does. */
void find_programs(Setup& setup) {
  const std::filesystem::path here = std::filesystem::canonical("/proc/self/exe").parent_path();
  setup.judge = (here / "collet-conformance").string();
  setup.interposer = (here.parent_path() / "lib" / "conformance" / "libcollet_mutant.so").string();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Shows that collet-conformance catches faults."};
  app.add_option("plugin", arguments.setup.good_plugin, "The good plugin's file");
  app.add_option("--mutant", arguments.mutants, "Only these, such as 'str1-*'");
  app.add_option("--jobs", arguments.setup.jobs, "Cases at a time");
  app.add_option("--out", arguments.out, "Folder for mutants.txt and mutants.json");
  app.add_flag("--full", arguments.is_full, "Twenty rounds, and all cases once");
  app.add_flag("--list", arguments.is_list, "Only print id, clause and fault of each");
  CLI11_PARSE(app, argc, argv);
  try {
    if (arguments.is_list) {
      list_mutants();
      return 0;
    }
    if (arguments.setup.good_plugin.empty()) {
      throw std::runtime_error("say which plugin is good: collet-mutants ./libcollet_cpu.so");
    }
    find_programs(arguments.setup);
    arguments.setup.good_plugin = std::filesystem::canonical(arguments.setup.good_plugin).string();
    arguments.setup.folder =
        (arguments.out.empty() ? std::filesystem::temp_directory_path().string() : arguments.out) +
        "/mutant-reports";
    return run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "collet-mutants: " << error.what() << '\n';
    return 2;
  }
}
