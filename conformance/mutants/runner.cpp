// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace collet::mutants {
namespace {

/** Runs a program to its end, without its output. */
void run_quietly(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int fault = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw std::runtime_error("cannot start " + command[0]);
  int status = 0;
  waitpid(child, &status, 0);
}

std::vector<CaseOutcome> read_outcomes(const std::string& path) {
  std::ifstream file(path);
  std::vector<CaseOutcome> outcomes;
  std::string line;
  while (std::getline(file, line)) {
    const auto json = nlohmann::json::parse(line);
    if (json.at("kind") != "case") continue;
    outcomes.push_back({json.at("name"), json.at("clauses"), json.at("verdict"),
                        json.value("seen", std::string())});
  }
  return outcomes;
}

}  // namespace

std::vector<CaseOutcome> judge_mutant(const Setup& setup, const std::string& mutant,
                                      const std::string& filter, unsigned seed) {
  const std::string out = setup.folder + "/" + mutant;
  std::filesystem::remove_all(out);
  setenv("COLLET_MUTANT", mutant.c_str(), 1);
  setenv("COLLET_MUTANT_OVER", setup.good_plugin.c_str(), 1);
  std::vector<std::string> command = {
      setup.judge, "run",    setup.interposer,    "--jobs", std::to_string(setup.jobs),
      "--out",     out,      "--patience",        "2",      "--limit",
      "20",        "--seed", std::to_string(seed)};
  if (!filter.empty()) {
    command.emplace_back("--filter");
    command.push_back(filter);
  }
  run_quietly(command);
  std::vector<CaseOutcome> outcomes = read_outcomes(out + "/results.jsonl");
  if (outcomes.empty()) throw std::runtime_error("mutant " + mutant + ": the judge left no report");
  return outcomes;
}

}  // namespace collet::mutants
