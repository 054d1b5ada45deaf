// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "check.hpp"

namespace collet::conformance {
namespace {

bool is_child = false;

void become_child(pid_t parent) {
  is_child = true;
  setpgid(0, 0);
  // Nothing is left behind when the runner is interrupted.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(EXIT_FAILURE);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

/** Nothing may come back into the caller's code in the child. */
[[noreturn]] void run_to_end(const std::function<void()>& body) {
  int status = EXIT_SUCCESS;
  try {
    body();
  } catch (const CaseEnd& end) {
    std::fprintf(stderr, "%s (%s)\n", end.seen.c_str(), end.place.c_str());
    status = EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = EXIT_FAILURE;
  }
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

bool is_child_process() noexcept { return is_child; }

std::string ProcessEnd::text() const {
  switch (how) {
    case How::kExit:
      return "exited with status " + std::to_string(code);
    case How::kSignal: {
      const char* name = sigabbrev_np(code);
      return "was ended by " +
             (name == nullptr ? "signal " + std::to_string(code) : "SIG" + std::string(name));
    }
    case How::kStopped:
      return "did not end, and was stopped";
  }
  return "?";
}

Process::Process(const std::function<void()>& body) {
  // What is buffered would be written by both.
  std::fflush(nullptr);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot fork: " + std::string(std::strerror(errno)));
  if (id_ == 0) {
    become_child(parent);
    run_to_end(body);
  }
  setpgid(id_, id_);
  // By number: glibc 2.36 declares its function without C linkage.
  descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, id_, 0));
  if (descriptor_ < 0) {
    stop();
    throw std::runtime_error("pidfd_open: " + std::string(std::strerror(errno)));
  }
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Process::~Process() {
  if (id_ > 0) stop();
  if (descriptor_ >= 0) close(descriptor_);
}

bool Process::wait_until(Clock::time_point deadline) const {
  pollfd watched = {descriptor_, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int ready = poll(&watched, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000)));
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
  }
}

ProcessEnd Process::collect() {
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  // What the child has started does not outlive it.
  kill(-id_, SIGKILL);
  id_ = -1;
  if (WIFSIGNALED(status)) return {ProcessEnd::How::kSignal, WTERMSIG(status)};
  return {ProcessEnd::How::kExit, WEXITSTATUS(status)};
}

ProcessEnd Process::stop() {
  kill(-id_, SIGKILL);
  kill(id_, SIGKILL);
  collect();
  return {ProcessEnd::How::kStopped, 0};
}

ProcessEnd run_in_child(const std::function<void()>& body, std::chrono::nanoseconds limit) {
  Process process(body);
  return process.wait_until(Clock::now() + limit) ? process.collect() : process.stop();
}

}  // namespace collet::conformance

#if defined(COLLET_ADDRESS_SANITIZER)
// Children leave objects alive on purpose.
extern "C" int __lsan_is_turned_off() {  // NOLINT: the name that the sanitizer looks for
  return collet::conformance::is_child_process() ? 1 : 0;
}
#endif
