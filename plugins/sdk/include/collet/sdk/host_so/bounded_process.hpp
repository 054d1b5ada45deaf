// SPDX-License-Identifier: Apache-2.0
/** A program that is run for its output, within limits of time, memory and text. */
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <collet/sdk/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace collet::plugin::host_so {

struct ProcessLimits {
  std::chrono::milliseconds time{30'000};
  /** Address space of each process, and size of each file that it writes. */
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t file_bytes = std::uint64_t{256} << 20;
  /** What is kept of the output; the rest is read and dropped. */
  std::size_t output_bytes = std::size_t{1} << 20;
};

struct ProcessCall {
  std::string program;
  /** With the name of the program at its start. */
  std::vector<std::string> arguments;
  /** All of it: nothing is inherited. */
  std::vector<std::string> environment;
  /** The current directory. */
  std::string folder;
  ProcessLimits limits;
};

struct ProcessResult {
  /** Standard output and errors. */
  std::string output;
  bool is_timed_out = false;
  /** As waitpid() tells it; nothing where somebody else in this process has taken it. */
  std::optional<int> wait_status;
};

namespace detail {

/** Both ends are closed with the object. */
class OutputPipe {
 public:
  OutputPipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw_errno(COLLET_ERROR_UNAVAILABLE, "cannot make a pipe to a process");
    }
    // In a process that runs without the standard streams, a pipe would get their numbers.
    for (int& end : ends_) {
      if (end > STDERR_FILENO) continue;
      const int moved = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      close(end);
      end = moved;
    }
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;
  ~OutputPipe() {
    close(ends_[0]);
    close_write_end();
  }

  [[nodiscard]] int read_end() const noexcept { return ends_[0]; }
  [[nodiscard]] int write_end() const noexcept { return ends_[1]; }
  void close_write_end() noexcept {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/** Nothing of this process but what is given: no files, signal handlers or blocked signals. */
class SpawnSetting {
 public:
  SpawnSetting(int output, const std::string& folder) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    // A group of its own, so that what it starts can be ended with it.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSetting(const SpawnSetting&) = delete;
  SpawnSetting& operator=(const SpawnSetting&) = delete;
  ~SpawnSetting() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/** Limits a process that runs, and what it has started: later children inherit the limits. */
inline void limit_process(pid_t process, const ProcessLimits& limits) noexcept {
  const auto limit = [&](__rlimit_resource resource, std::uint64_t most) {
    struct rlimit present {};
    if (prlimit(process, resource, nullptr, &present) != 0) return;
    const rlimit lower{std::min<rlim_t>(most, present.rlim_cur),
                       std::min<rlim_t>(most, present.rlim_max)};
    prlimit(process, resource, &lower, nullptr);
  };
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_CORE, 0);

  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d/children", process, process);
  std::FILE* const children = std::fopen(path.data(), "re");
  if (children == nullptr) return;
  for (int child = 0; std::fscanf(children, "%d", &child) == 1;) limit_process(child, limits);
  std::fclose(children);
}

/** Reads what is there. False at the end of the output. */
inline bool read_available(int end, std::string& text, std::size_t most) {
  std::array<char, 16384> block;
  for (;;) {
    const ssize_t size = read(end, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size < 0;
    const std::size_t room = most - std::min(most, text.size());
    text.append(block.data(), std::min(room, static_cast<std::size_t>(size)));
  }
}

/** A child of this process; ended and collected with the object. */
class ChildProcess {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /** @throws Error UNAVAILABLE */
  ChildProcess(const ProcessCall& call, int output) {
    const SpawnSetting setting(output, call.folder);
    const int code =
        posix_spawn(&number_, call.program.c_str(), &setting.files, &setting.attributes,
                    pointers_to(call.arguments).data(), pointers_to(call.environment).data());
    if (code != 0) {
      errno = code;
      throw_errno(COLLET_ERROR_UNAVAILABLE, "cannot run " + call.program);
    }
    limit_process(number_, call.limits);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { static_cast<void>(end()); }

  /** False if it runs at the deadline. */
  [[nodiscard]] bool has_ended_by(Deadline deadline) const {
    siginfo_t info{};
    // Somebody else may have collected it, which is an error of this call.
    while (waitid(P_PID, static_cast<id_t>(number_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != number_) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  /** Ends it, where it still runs, and all that it has started. Its status, where that is known. */
  std::optional<int> end() noexcept {
    if (number_ < 0) return std::nullopt;
    // Before it is collected: until then, the number of its group cannot be somebody else's.
    kill(-number_, SIGKILL);
    int status = 0;
    pid_t ended = 0;
    do {
      ended = waitpid(number_, &status, 0);
    } while (ended < 0 && errno == EINTR);
    const bool is_known = ended == number_;
    number_ = -1;
    return is_known ? std::optional(status) : std::nullopt;
  }

 private:
  pid_t number_ = -1;
};

/** Reads to the end of the output. False if the deadline comes first. */
inline bool read_until(ChildProcess::Deadline deadline, int end, std::string& text,
                       std::size_t most) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd polled{end, POLLIN, 0};
    if (poll(&polled, 1, static_cast<int>(left.count())) > 0 && !read_available(end, text, most)) {
      return true;
    }
  }
}

}  // namespace detail

/**
 * Runs a program, without a shell, until it has ended and all that it has started have closed
 * their output. What runs at the end of the time is ended.
 *
 * @throws Error UNAVAILABLE if it cannot be started.
 */
[[nodiscard]] inline ProcessResult run_bounded(const ProcessCall& call) {
  detail::OutputPipe pipe;
  const auto deadline = std::chrono::steady_clock::now() + call.limits.time;
  detail::ChildProcess process(call, pipe.write_end());
  pipe.close_write_end();
  ProcessResult result;
  result.is_timed_out =
      !detail::read_until(deadline, pipe.read_end(), result.output, call.limits.output_bytes) ||
      !process.has_ended_by(deadline);
  result.wait_status = process.end();
  return result;
}

}  // namespace collet::plugin::host_so
