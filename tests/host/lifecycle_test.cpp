// SPDX-License-Identifier: Apache-2.0
// HOST-PRC-1 and HOST-PRC-2: programs that end, and fork, at every bad moment.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "fixture.hpp"

namespace collet::test {
namespace {

// Few, for the gate; a hundred where the environment asks for them.
int runs() {
#ifdef COLLET_HOST_TEST_SANITIZED
  // Sanitizers make the start of a program ten times as slow.
  constexpr int kRuns = 3;
#else
  constexpr int kRuns = 10;
#endif
  const char* wanted = std::getenv("COLLET_HOST_TEST_RUNS");
  return wanted != nullptr ? std::atoi(wanted) : kRuns;
}

// The program that ends in many ways. The environment may name another build of it.
std::string lifecycle() {
  const char* chosen = std::getenv("COLLET_HOST_TEST_LIFECYCLE");
  return chosen != nullptr ? chosen : COLLET_HOST_TEST_LIFECYCLE;
}

// Exit status of the program that ends in that way, or -1 for a signal.
int end_by(const char* way) {
  std::string program = lifecycle();
  std::string argument = way;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
    return -2;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void check_runs(const char* way) {
  for (int run = 0; run < runs(); ++run) {
    INFO("run " << run);
    REQUIRE(end_by(way) == 0);
  }
}

}  // namespace

TEST_CASE("HOST-PRC-1 objects may be released by static destructors", "[ends]") {
  check_runs("static_destructors");
}

TEST_CASE("HOST-PRC-1 objects may be used and released by atexit handlers", "[ends]") {
  check_runs("atexit");
}

TEST_CASE("HOST-PRC-1 objects may be released, and errors happen, while threads end", "[ends]") {
  check_runs("thread_ends");
}

TEST_CASE("HOST-PRC-1 a process may end while detached threads are inside Collet", "[ends]") {
  check_runs("detached_threads");
}

TEST_CASE("HOST-PRC-1 a process may end while commands wait for ever", "[ends]") {
  check_runs("busy_stream");
}

TEST_CASE("HOST-PRC-1 a process may end from inside a host function", "[ends]") {
  check_runs("host_function");
}

TEST_CASE("HOST-PRC-2 a child that is forked before the first use works, and so does its parent",
          "[ends]") {
  check_runs("fork_before_use");
}

TEST_CASE("HOST-PRC-2 a child that is forked after it ends well with the parent's objects",
          "[ends]") {
  check_runs("fork_after_use");
}

TEST_CASE("HOST-PRC-2 a child is answered at once, whatever other threads were doing", "[ends]") {
#ifdef COLLET_HOST_TEST_SANITIZED
  skip("a sanitizer's allocator may be locked for ever in a child that is forked among threads");
#endif
  check_runs("fork_among_threads");
}

TEST_CASE("HOST-PRC-4 of threads that configure the process at once, one does", "[ends]") {
  check_runs("configure_at_once");
}

TEST_CASE("HOST-PRC-5 sixty-four threads may make the first call at once", "[ends]") {
  check_runs("initialise_at_once");
}

TEST_CASE("HOST-LOAD-7 a process with more rights than its user ignores the environment") {
  if (geteuid() != 0) {
    skip("only root can give a program other rights than its user's");
  }
  const std::string program = lifecycle();
  const pid_t child = fork();
  if (child == 0) {
    setenv("COLLET_PLUGIN_PATH", "/nowhere", 1);
    setenv("COLLET_DEVICE", "no such device", 1);
    constexpr uid_t kNobody = 65534;
    if (setresuid(kNobody, 0, 0) == 0) {
      execl(program.c_str(), program.c_str(), "elevated", nullptr);
    }
    _exit(3);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace collet::test
