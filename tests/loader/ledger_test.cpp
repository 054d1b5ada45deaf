// SPDX-License-Identifier: Apache-2.0
// The ledger: what is told of each candidate, whatever becomes of it.
#include <cstdlib>
#include <ostream>
#include <string>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

TEST_CASE("HOST-LOAD-8 the ledger tells how far each candidate got") {
  struct Case {
    const char* folder;
    const char* name;
    const char* probe;
    collet_backend_phase_t before;
    collet_backend_phase_t after;
  };
  const auto tried = GENERATE(values<Case>({
      {"good", "good", "on", COLLET_BACKEND_PHASE_INSPECTED, COLLET_BACKEND_PHASE_PROBED},
      {"good", "good", "off", COLLET_BACKEND_PHASE_INSPECTED, COLLET_BACKEND_PHASE_COUNTED},
      {"no_symbol", "bad", "on", COLLET_BACKEND_PHASE_FOUND, COLLET_BACKEND_PHASE_FOUND},
      {"null_root", "bad", "on", COLLET_BACKEND_PHASE_INSPECTED, COLLET_BACKEND_PHASE_INSPECTED},
      {"undefined_symbol", "bad", "off", COLLET_BACKEND_PHASE_INSPECTED,
       COLLET_BACKEND_PHASE_INSPECTED},
      {"null_root", "bad", "off", COLLET_BACKEND_PHASE_INSPECTED, COLLET_BACKEND_PHASE_LOADED},
      {"count_reports", "bad", "off", COLLET_BACKEND_PHASE_INSPECTED,
       COLLET_BACKEND_PHASE_NEGOTIATED},
  }));
  const ChildResult child = with_plugins({tried.folder}, [&](std::ostream& out) {
    setenv("COLLET_PROBE", tried.probe, 1);
    out << (ledger_entry(tried.name).phase == tried.before);
    static_cast<void>(counted_devices(tried.name));
    out << (ledger_entry(tried.name).phase == tried.after);
  });
  INFO(tried.folder);
  CHECK(child.output == "11");
}

TEST_CASE("HOST-LOAD-8 a sound plugin's version, vendor and devices are in the ledger") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    out << counted_devices("good");
    const collet_backend_info_t info = ledger_entry("good");
    out << ' ' << info.device_count << ' ' << info.version << ' ' << info.vendor << '[' << info.hint
        << ']';
  });
  CHECK(child.output == "2 2 1.2.3 Collet's tests[]");
}

TEST_CASE("HOST-LOAD-8 the ledger tells why a candidate is not used, and what to do") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_PLUGINS", "cpu", 1);
    const collet_backend_info_t info = ledger_entry("good");
    out << collet_status_name(info.status) << ' ' << info.reason << '\n' << info.hint;
  });
  CHECK(child.output == "COLLET_ERROR_UNAVAILABLE " + plugin_path({"good/libcollet_good.so"}) +
                            ": COLLET_PLUGINS does not name it\n"
                            "add good to COLLET_PLUGINS, or unset it");
}

TEST_CASE("HOST-LOAD-8 the ledger can be read where the configuration is at fault") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_PLUGINS", "good,,cpu", 1);
    out << ledger_line("good") << '\n' << counted_devices("good") << '\n';
    collet_device_properties_t properties{};
    properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
    collet_device_t* device = nullptr;
    out << collet_device_describe("good", 0, &properties) << ' '
        << collet_current_device_get(&device) << ' ' << collet_current_device_set(nullptr) << '\n';
    out << (opened("good") == counted_devices("good")) << (opened(nullptr) == opened("good"));
  });
  CHECK(child.output ==
        "good found COLLET_OK: \n"
        "COLLET_ERROR_MALFORMED: COLLET_PLUGINS: a name is missing\n"
        "    good,,cpu\n"
        "         ^   write names of back ends, separated by ','\n"
        "-11 -11 0\n"
        "11");
}

TEST_CASE("HOST-LOAD-9 a back end that COLLET_PLUGINS does not name stays in the ledger") {
  const ChildResult child = with_plugins({"good", "no_devices"}, [](std::ostream& out) {
    setenv("COLLET_PLUGINS", "good", 1);
    out << opened("good") << '\n' << ledger_line("empty") << '\n' << ledger_entry("empty").hint;
    out << '\n' << opened("empty");
  });
  const std::string reason =
      plugin_path({"no_devices/libcollet_empty.so"}) + ": COLLET_PLUGINS does not name it";
  CHECK(child.output ==
        "good:0\n"
        "empty unusable COLLET_ERROR_UNAVAILABLE: " +
            reason +
            "\nadd empty to COLLET_PLUGINS, or unset it\n"
            "COLLET_ERROR_UNAVAILABLE: selector: \"empty\" is not usable: " +
            reason);
}

TEST_CASE("HOST-LOAD-9 a name in COLLET_PLUGINS that no plugin has is a warning") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_PLUGINS", "good,goood", 1);
    out << opened("good");
  });
  CHECK(child.output == "good:0");
  CHECK(
      child.errors ==
      "collet: warning: COLLET_PLUGINS: there is no back end \"goood\"; did you mean \"good\"?\n");
}

TEST_CASE("HOST-SEL-5 a COLLET_PLUGINS that is malformed is an error with a caret") {
  struct Case {
    const char* text;
    const char* error;
  };
  const auto tried = GENERATE(values<Case>({
      {"", "a name is missing\n    \n    ^   write names of back ends, separated by ','"},
      {"good,",
       "a name is missing\n    good,\n         ^   write names of back ends, separated by ','"},
      {"good, cpu",
       "\" cpu\" is no name of a back end\n    good, cpu\n         ^^^^   names are "
       "[a-z][a-z0-9_]*, without blanks"},
      {"Good:0",
       "\"Good:0\" is no name of a back end\n    Good:0\n    ^^^^^^   names are [a-z][a-z0-9_]*, "
       "without blanks"},
  }));
  const ChildResult child = with_plugins({"good"}, [&](std::ostream& out) {
    setenv("COLLET_PLUGINS", tried.text, 1);
    out << opened("good");
  });
  CHECK(child.output == std::string("COLLET_ERROR_MALFORMED: COLLET_PLUGINS: ") + tried.error);
}

}  // namespace
}  // namespace collet::test
