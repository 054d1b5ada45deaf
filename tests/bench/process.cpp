// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace collet::bench {
namespace {

[[noreturn]] void fail(const std::string& program, const std::string& what) {
  throw std::runtime_error(program + " " + what);
}

pid_t start(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    fail(command[0], std::string("cannot be started: ") + std::strerror(error) +
                         (error == ENOENT ? "; install it, or build all targets" : ""));
  }
  return child;
}

}  // namespace

void run_program(const std::vector<std::string>& command) {
  const pid_t child = start(command);
  int status = 0;
  while (waitpid(child, &status, 0) == -1) {
    if (errno != EINTR) fail(command[0], std::string("is lost: ") + std::strerror(errno));
  }
  if (WIFSIGNALED(status)) fail(command[0], "ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) {
    fail(command[0], "ended with status " + std::to_string(WEXITSTATUS(status)));
  }
}

std::string beside_program(const std::string& relative) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path() / relative).lexically_normal();
}

}  // namespace collet::bench
