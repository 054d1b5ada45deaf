// SPDX-License-Identifier: Apache-2.0
// Probes by any program in place of the helper: what it does to its answer, and to this process.
#include "probe.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "folder.hpp"
#include "support/catch.hpp"

namespace collet::loader {
namespace {

using std::chrono::milliseconds;
using test::Folder;

// A helper that is a script of the shell.
class Helper {
 public:
  explicit Helper(const std::string& script) {
    folder_.write("helper", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::string path() const { return (folder_ / "helper").string(); }

  [[nodiscard]] ProbeResult probe(milliseconds deadline = std::chrono::minutes(1)) const {
    const ProbeRequest request{"acme", "/x/libcollet_acme.so", {{"threads", "2"}}};
    return loader::probe(path(), {&request, 1}, deadline).at(0);
  }

 private:
  Folder folder_;
};

std::string message_of(const ProbeResult& result) {
  return result.failure ? result.failure->message() : "no failure";
}

TEST_CASE("HOST-LOAD-13 the way in which a helper ends without an answer is told") {
  struct Case {
    std::string script;
    std::string message;
  };
  const auto tried = GENERATE(values<Case>({
      {"exit 0", "ended the process before it was loaded (exit status 0)"},
      {"exit 7", "ended the process before it was loaded (exit status 7)"},
      {"printf '\\1\\1\\0\\0\\0\\3'; exit 7",
       "ended the process while it counted its devices (exit status 7)"},
      {"printf '\\1\\1\\0\\0\\0\\1'; kill -SEGV $$",
       "crashed while it was being loaded (signal 11, Segmentation fault)"},
      {"echo no driver >&2; echo >&2; kill -ABRT $$",
       "aborted before it was loaded (signal 6, Aborted); its last words were \"no driver\""},
      {"kill -KILL $$", "was killed before it was loaded (signal 9, Killed)"},
      {"echo hello", "ended the process before it was loaded (exit status 0)"},
      {"printf '\\2\\377\\377\\377\\177'",
       "ended the process before it was loaded (exit status 0)"},
      {"head -c 20000000 /dev/zero", "answered with more than anyone reads"},
  }));
  const ProbeResult result = Helper(tried.script).probe();
  CHECK(message_of(result) == "back end \"acme\" " + tried.message);
  REQUIRE(result.failure);
  CHECK(result.failure->status() == COLLET_ERROR_INTERNAL);
  CHECK(result.failure->hint().find("/x/libcollet_acme.so") != std::string::npos);
  CHECK_FALSE(result.no_helper);
}

TEST_CASE(
    "HOST-LOAD-13 a helper that does not answer is ended at the deadline, with its children") {
  const Folder folder;
  const std::string pid_file = (folder / "pid").string();
  const Helper helper("sleep 600 & echo $! > " + pid_file + "; printf '\\1\\1\\0\\0\\0\\2'; wait");
  const ProbeResult result = helper.probe(milliseconds(1500));
  CHECK(message_of(result) ==
        "back end \"acme\" did not answer within 1.5 s in its query function");
  REQUIRE(result.failure);
  CHECK(result.failure->status() == COLLET_ERROR_TIMEOUT);
  CHECK(result.failure->hint().find("COLLET_PROBE=60s") != std::string::npos);
  pid_t child = 0;
  std::ifstream(pid_file) >> child;
  REQUIRE(child > 0);
  // The signal is on its way; afterwards it may wait to be collected by whoever inherits it.
  std::string state = "R";
  for (int i = 0; i < 1000 && state != "Z" && state != "gone"; ++i) {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string word;
    if (!(stat >> word >> word >> state)) {
      state = "gone";
    }
    usleep(10'000);
  }
  CHECK((state == "Z" || state == "gone"));
}

TEST_CASE("HOST-LOAD-13 a helper that cannot be started says nothing about the plugin") {
  const ProbeRequest request{"acme", "/x", {}};
  const ProbeResult result = probe("/no/such/helper", {&request, 1}, milliseconds(1000)).at(0);
  CHECK(result.no_helper);
  CHECK(message_of(result) ==
        "the helper process /no/such/helper cannot be started: No such file or directory");
}

TEST_CASE("HOST-LOAD-13 a helper gets the plugin, its settings, and nothing of this process") {
  const Folder folder;
  const std::string report = (folder / "report").string();
  const int open_file = open("/dev/null", O_RDONLY);
  REQUIRE(open_file >= 0);
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  const auto handler = std::signal(SIGTERM, SIG_IGN);
  // The shell reads by itself: while it starts a program, it blocks signals. A library that is
  // loaded before all others, as under the faults of the loader, may open files of its own.
  static_cast<void>(
      Helper("{ echo \"$*\"; LD_PRELOAD= ls /proc/self/fd | wc -l; "
             "while read -r line; do case $line in SigBlk*|SigIgn*) echo \"$line\";; esac; done "
             "< /proc/self/status; } > " +
             report)
          .probe());
  std::signal(SIGTERM, handler);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(open_file);
  std::ifstream file(report);
  std::string line;
  std::getline(file, line);
  CHECK(line == "acme /x/libcollet_acme.so threads=2");
  std::getline(file, line);
  CHECK(std::stoi(line) == 4);  // the three standard streams, and that of ls for the folder
  int lines = 0;
  for (; std::getline(file, line); ++lines) {
    // The C library's own two signals are nobody's to set.
    constexpr unsigned long long kInternal = 0x180000000;
    CHECK((std::stoull(line.substr(line.find('\t')), nullptr, 16) & ~kInternal) == 0);
  }
  CHECK(lines == 2);
}

TEST_CASE("HOST-LOAD-13 a host that collects all children, or ignores them, gets answers too") {
  const auto handler = std::signal(SIGCHLD, SIG_IGN);
  const ProbeResult result = Helper("exit 7").probe();
  std::signal(SIGCHLD, handler);
  CHECK(message_of(result) == "back end \"acme\" ended without an answer before it was loaded");
}

TEST_CASE("HOST-LOAD-13 no process and no file is left open by probes") {
  const auto count_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = count_files();
  static_cast<void>(Helper("exit 1").probe());
  static_cast<void>(Helper("sleep 600").probe(milliseconds(50)));
  CHECK(count_files() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("probe: the setting is on, off, or a deadline") {
  CHECK(parse_probe_setting({"X", "on"}).enabled);
  CHECK_FALSE(parse_probe_setting({"X", "off"}).enabled);
  CHECK(parse_probe_setting({"X", "30s"}).deadline == milliseconds(30'000));
  CHECK(parse_probe_setting({"X", "250ms"}).deadline == milliseconds(250));
  CHECK(parse_probe_setting({"X", "3600s"}).deadline == milliseconds(3'600'000));
}

TEST_CASE("HOST-SEL-5 a probe setting that is malformed is an error with a caret") {
  const auto text = GENERATE(as<std::string>(), "", "no", "OFF", "5", "5m", "0s", "05s", "-1s",
                             "1.5s", " 1s", "s", "99999999s");
  try {
    static_cast<void>(parse_probe_setting({"COLLET_PROBE", text}));
    FAIL(text << " was understood");
  } catch (const Error& error) {
    CHECK(error.status() == COLLET_ERROR_MALFORMED);
    CHECK(error.message().starts_with("COLLET_PROBE: "));
    CHECK(error.message().find("write on, off, or a deadline such as 30s or 500ms") !=
          std::string::npos);
  }
}

TEST_CASE("HOST-SEL-5 a deadline of more than an hour is an error") {
  CHECK_THROWS_AS(parse_probe_setting({"COLLET_PROBE", "3601s"}), Error);
}

}  // namespace
}  // namespace collet::loader
