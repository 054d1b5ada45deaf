// SPDX-License-Identifier: Apache-2.0
#include "helper_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "error.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

constexpr std::size_t kMaxErrors = 4096;
// For a process that has been killed, and is only to be collected.
constexpr int kReapTries = 50;
constexpr useconds_t kReapPause = 1000;

[[noreturn]] void fail(const std::string& what, int code) {
  throw Error(COLLET_ERROR_UNAVAILABLE, what + ": " + std::strerror(code));
}

// In a process that runs without the standard streams, a pipe would get their numbers.
int above_standard(int end) {
  if (end > STDERR_FILENO) {
    return end;
  }
  const int moved = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(end);
  return moved;
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      fail("no pipe to a helper process", errno);
    }
    read_end = above_standard(ends[0]);
    write_end = above_standard(ends[1]);
    fcntl(read_end, F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    if (read_end >= 0) {
      close(read_end);
    }
    close(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int take() {
    const int taken = read_end;
    read_end = -1;
    return taken;
  }
};

class SpawnSetting {
 public:
  SpawnSetting(int output, int errors) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
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
  ~SpawnSetting() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetting(const SpawnSetting&) = delete;
  SpawnSetting& operator=(const SpawnSetting&) = delete;

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

// Reads what is there. False at the end of the file.
bool read_available(int end, std::string& text, std::size_t limit) {
  char block[65536];
  for (;;) {
    const ssize_t size = ::read(end, block, sizeof block);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0) {
      return size < 0;
    }
    if (text.size() <= limit) {
      text.append(block, static_cast<std::size_t>(size));
    }
  }
}

void close_end(int& end) noexcept {
  if (end >= 0) {
    close(end);
    end = -1;
  }
}

}  // namespace

HelperProcess::HelperProcess(const std::string& program, const std::vector<std::string>& arguments,
                             std::size_t max_output)
    : max_output_(max_output) {
  std::vector<char*> words;
  words.push_back(const_cast<char*>(program.c_str()));
  for (const std::string& argument : arguments) {
    words.push_back(const_cast<char*>(argument.c_str()));
  }
  words.push_back(nullptr);
  Pipe output;
  Pipe errors;
  const SpawnSetting setting(output.write_end, errors.write_end);
  const int code = posix_spawn(&pid_, program.c_str(), &setting.files, &setting.attributes,
                               words.data(), environ);
  if (code != 0) {
    pid_ = -1;
    fail("the helper process " + escaped(program) + " cannot be started", code);
  }
  output_end_ = output.take();
  errors_end_ = errors.take();
#ifdef SYS_pidfd_open
  // Older kernels lack it; then the end of the output stands for the end of the process.
  exit_end_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
#endif
}

HelperProcess::~HelperProcess() {
  kill();
  close_end(output_end_);
  close_end(errors_end_);
  close_end(exit_end_);
}

void HelperProcess::add_polled(std::vector<pollfd>& polled) const {
  if (ended_) {
    return;
  }
  for (const int end : {output_end_, errors_end_, exit_end_}) {
    if (end >= 0) {
      polled.push_back({end, POLLIN, 0});
    }
  }
}

void HelperProcess::read_all() {
  if (output_end_ >= 0 && !read_available(output_end_, output_, max_output_)) {
    close_end(output_end_);
  }
  too_long_ = output_.size() > max_output_;
  if (errors_end_ >= 0 && !read_available(errors_end_, errors_, kMaxErrors)) {
    close_end(errors_end_);
  }
  if (errors_.size() > kMaxErrors) {
    errors_.erase(0, errors_.size() - kMaxErrors);
  }
}

bool HelperProcess::advance() {
  if (ended_) {
    return true;
  }
  // In this order: what it has written before its end is in the pipe by then.
  const bool done = has_ended();
  read_all();
  if (done || too_long_ || (output_end_ < 0 && errors_end_ < 0)) {
    kill();
  }
  return ended_;
}

bool HelperProcess::has_ended() const noexcept {
  siginfo_t info{};
  const int code = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return code != 0 || info.si_pid == pid_;
}

void HelperProcess::kill() noexcept {
  if (ended_) {
    return;
  }
  // Before it is collected: until then, the number of its group cannot be somebody else's.
  ::kill(-pid_, SIGKILL);
  for (int i = 0; i < kReapTries && !ended_; ++i) {
    int status = 0;
    const pid_t found = waitpid(pid_, &status, WNOHANG);
    if (found == pid_) {
      wait_status_ = status;
    }
    ended_ = found == pid_ || (found < 0 && errno == ECHILD);
    if (!ended_) {
      usleep(kReapPause);
    }
  }
  ended_ = true;
}

}  // namespace collet::loader
