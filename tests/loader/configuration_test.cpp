// SPDX-License-Identifier: Apache-2.0
// collet_configure(), the log, and the options of plugins.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <ostream>
#include <string>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

collet_config_t config() {
  collet_config_t result{};
  result.base = {COLLET_STRUCT_CONFIG, sizeof result, nullptr};
  return result;
}

struct Lines {
  std::mutex mutex;
  std::string text;
};

void keep_line(void* user_data, collet_log_level_t level, const char* text) {
  auto& lines = *static_cast<Lines*>(user_data);
  const std::lock_guard lock(lines.mutex);
  lines.text += std::to_string(level) + " " + text + "\n";
}

TEST_CASE("configuration: device and plugin path win over the environment") {
  const ChildResult child = with_plugins({"kinds"}, [](std::ostream& out) {
    setenv("COLLET_DEVICE", "a_cpu", 1);
    const std::string path = plugin_path({"good"});
    collet_config_t own = config();
    own.plugin_path = path.c_str();
    own.device = "good:1";
    out << collet_configure(&own) << ' ' << opened(nullptr) << ' ' << ledger_line("a_cpu");
  });
  CHECK(child.output == "0 good:1 a_cpu is not there");
}

TEST_CASE("configuration: what is not set is taken from the environment") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_DEVICE", "good:1", 1);
    const collet_config_t own = config();
    out << collet_configure(&own) << ' ' << opened(nullptr);
  });
  CHECK(child.output == "0 good:1");
}

TEST_CASE("configuration: a wrong device is told with its origin when it is opened") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    collet_config_t own = config();
    own.device = "";
    out << collet_configure(&own) << ' ' << opened(nullptr);
  });
  CHECK(child.output.starts_with(
      "0 COLLET_ERROR_MALFORMED: collet_configure: device: the selector is empty\n"));
}

TEST_CASE("HOST-PRC-4 a configuration is made once, and before the first use") {
  const ChildResult twice = with_plugins({"good"}, [](std::ostream& out) {
    const collet_config_t own = config();
    out << collet_configure(&own) << ' ' << collet_configure(&own) << ' ' << last_error();
  });
  CHECK(twice.output == "0 -22 COLLET_ERROR_INVALID_STATE: the process is configured already");
  const ChildResult late = with_plugins({"good"}, [](std::ostream& out) {
    const collet_config_t own = config();
    out << counted_devices("good") << ' ' << collet_configure(&own) << ' ' << last_error();
  });
  CHECK(late.output ==
        "2 -22 COLLET_ERROR_INVALID_STATE: Collet is in use already; configure it before the first "
        "other call");
}

TEST_CASE("configuration: a malformed one is refused, and changes nothing") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    collet_config_t wrong = config();
    wrong.device = "nowhere";
    wrong.log_level = static_cast<collet_log_level_t>(6);
    out << collet_configure(nullptr) << ' ' << collet_configure(&wrong);
    wrong.log_level = COLLET_LOG_INFO;
    wrong.base.struct_size = 8;
    out << ' ' << collet_configure(&wrong) << ' ' << opened(nullptr);
  });
  CHECK(child.output == "-1 -1 -1 good:0");
}

TEST_CASE("log: the callback gets what the level includes, and stderr nothing") {
  const ChildResult child = with_plugins({"good", "count_reports"}, [](std::ostream& out) {
    Lines lines;
    collet_config_t own = config();
    own.log_callback = keep_line;
    own.log_user_data = &lines;
    own.log_level = COLLET_LOG_INFO;
    collet_configure(&own);
    opened("bad,good");
    out << lines.text;
  });
  CHECK(child.errors.empty());
  CHECK(child.output ==
        "3 bad: unusable: libfake.so.1 not found (no driver on this machine)\n"
        "3 selector: \"bad\" is passed over: libfake.so.1 not found (no driver on this machine)\n"
        "3 good: version 1.2.3, 2 devices, loaded from " +
            plugin_path({"good"}) + "/libcollet_good.so\n");
}

TEST_CASE("log: a callback that calls Collet is refused, and not stuck") {
  static collet_status_t answer = COLLET_OK;
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    collet_config_t own = config();
    own.log_callback = [](void*, collet_log_level_t, const char*) {
      std::uint32_t count = 0;
      answer = collet_backend_count(&count);
    };
    own.log_level = COLLET_LOG_TRACE;
    collet_configure(&own);
    out << opened("good") << ' ' << collet_status_name(answer);
  });
  CHECK(child.output == "good:0 COLLET_ERROR_REENTRANT");
}

TEST_CASE("HOST-ENV-2 a bad COLLET_LOG is one warning that says what is valid") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_LOG", "verbose", 1);
    out << opened("good");
  });
  CHECK(child.output == "good:0");
  CHECK(child.errors ==
        "collet: warning: COLLET_LOG: \"verbose\" is not understood, and warn is used; write off, "
        "error, warn, info, debug or trace, and optionally a file behind it, such as "
        "debug:/tmp/collet.log\n");
}

TEST_CASE("HOST-ENV-2 a bad COLLET_DEVICE is an error") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_DEVICE", "good:x", 1);
    out << opened(nullptr);
  });
  CHECK(child.output.rfind("COLLET_ERROR_MALFORMED: COLLET_DEVICE: ", 0) == 0);
}

TEST_CASE("HOST-ENV-2 a bad COLLET_SYNC is an error that says what is valid") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_SYNC", "warning", 1);
    out << opened(nullptr);
  });
  CHECK(child.output ==
        "COLLET_ERROR_MALFORMED: COLLET_SYNC: \"warning\" is not understood\n    warning\n"
        "    ^^^^^^^   write off, warn or error");
}

TEST_CASE("HOST-ENV-1 a misspelt variable is one warning") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_DEVIC", "good:1", 1);
    setenv("COLLET_GOOD_SPEED", "7", 1);
    out << opened(nullptr) << ' ' << opened("good");
  });
  CHECK(child.output == "good:0 good:0");
  CHECK(child.errors ==
        "collet: warning: COLLET_DEVIC is set, and nothing reads it; did you mean "
        "COLLET_DEVICE?\n");
}

TEST_CASE("log: COLLET_LOG chooses level and file") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    char file[] = "/tmp/collet-log-XXXXXX";
    close(mkstemp(file));
    setenv("COLLET_LOG", ("debug:" + std::string(file)).c_str(), 1);
    opened("good");
    std::ifstream stream(file);
    out << std::string(std::istreambuf_iterator<char>(stream), {});
    unlink(file);
  });
  CHECK(child.errors.empty());
  CHECK(child.output.find("] debug: good: found " + plugin_path({"good"})) != std::string::npos);
  CHECK(child.output.find("] info: good: version 1.2.3, 2 devices, loaded from ") !=
        std::string::npos);
}

TEST_CASE("log: a file that cannot be opened is a warning, and stderr is used") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_LOG", "info:/dev/null/log", 1);
    out << opened("good");
  });
  CHECK(child.output == "good:0");
  CHECK(child.errors.starts_with(
      "collet: warning: COLLET_LOG: stderr is used, since the file cannot be opened: "));
  CHECK(child.errors.find("collet: info: good: version 1.2.3") != std::string::npos);
}

TEST_CASE("log: off is silent") {
  const ChildResult child = with_plugins({"good", "none"}, [](std::ostream& out) {
    setenv("COLLET_LOG", "off", 1);
    out << opened("good");
  });
  CHECK(child.output == "good:0");
  CHECK(child.errors.empty());
}

TEST_CASE("options: a plugin reads COLLET_<BACKEND>_<OPTION>, and logs under its name") {
  const ChildResult set = with_plugins({"options"}, [](std::ostream& out) {
    setenv("COLLET_OPTIONAL_THREADS", "3", 1);
    out << opened("optional");
  });
  CHECK(set.output == "optional:0");
  CHECK(set.errors == "collet: warning: [optional] 3\n");
  const ChildResult unset =
      with_plugins({"options"}, [](std::ostream& out) { out << opened("optional"); });
  CHECK(unset.errors == "collet: warning: [optional] option not set\n");
}

}  // namespace
}  // namespace collet::test
