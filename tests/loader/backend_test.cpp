// SPDX-License-Identifier: Apache-2.0
// Plugins, sound and broken ones, through the exported functions.
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

TEST_CASE("backend: a sound plugin is found, then loaded, and its devices are described") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    out << ledger_line("good") << '\n' << counted_devices("good") << '\n' << ledger_line("good");
    collet_device_properties_t properties{};
    properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
    out << '\n' << collet_device_describe("good", 1, &properties) << ' ' << properties.id;
    out << '\n' << collet_device_describe("good", 2, &properties) << ' ' << properties.id;
    out << '\n' << last_error();
  });
  CHECK(child.output ==
        "good found COLLET_OK: \n"
        "2\n"
        "good ready COLLET_OK: \n"
        "0 good:1\n"
        "-10 \n"
        "COLLET_ERROR_NO_SUCH_DEVICE: there is no device \"good:2\"; good has 2 devices: good:0 "
        "and good:1");
  CHECK(child.errors.empty());
}

struct Bad {
  std::string folder;
  // What counting its devices answers.
  std::string error;
};

TEST_CASE("HOST-LOAD-4 each broken plugin has its own reason, and a sound one beside it works") {
  const std::string bad_path = plugin_path({""});
  const auto bad = GENERATE_COPY(values<Bad>({
      {"undefined_symbol", "COLLET_ERROR_UNAVAILABLE: cannot load " + bad_path +
                               "undefined_symbol/libcollet_bad.so: undefined symbol: "
                               "collet_test_symbol_that_nobody_defines"},
      {"null_root",
       "COLLET_ERROR_INCOMPATIBLE: back end \"bad\" gives no root table: its "
       "collet_plugin_query_v1() answers OK with NULL"},
      {"null_root_slot",
       "COLLET_ERROR_INCOMPATIBLE: back end \"bad\" has a NULL slot: \"device_open\" of its root "
       "table"},
      {"wrong_major",
       "COLLET_ERROR_INCOMPATIBLE: back end \"bad\" is built for ABI 2.3, and this library has "
       "ABI 1.0; the major numbers must agree"},
      {"small_root",
       "COLLET_ERROR_INCOMPATIBLE: back end \"bad\" has a root table of 16 bytes, and ABI 1.0 "
       "needs 72; does it set struct_size?"},
      {"name_mismatch",
       "COLLET_ERROR_INCOMPATIBLE: back end \"bad\" calls itself \"worse\", so its file should be "
       "called libcollet_worse.so"},
      {"query_refuses", "COLLET_ERROR_INCOMPATIBLE: needs a host of ABI 1.7"},
      {"query_throws",
       "COLLET_ERROR_INTERNAL: back end \"bad\" let an exception out of a C function: thrown by "
       "the query"},
      {"count_reports",
       "COLLET_ERROR_UNAVAILABLE: libfake.so.1 not found (no driver on this machine)"},
      {"count_silent",
       "COLLET_ERROR_UNAVAILABLE: back end \"bad\" returned COLLET_ERROR_UNAVAILABLE without "
       "saying why"},
      {"count_throws",
       "COLLET_ERROR_INTERNAL: back end \"bad\" let an exception out of a C function: driver not "
       "found"},
      {"count_throws_number",
       "COLLET_ERROR_INTERNAL: back end \"bad\" let an exception out of a C function"},
      {"many_devices",
       "COLLET_ERROR_INTERNAL: back end \"bad\" says that it has 3000000000 devices"},
      {"reenters", "COLLET_ERROR_UNAVAILABLE: COLLET_ERROR_REENTRANT"},
  }));
  const ChildResult child = with_plugins({"good", bad.folder}, [](std::ostream& out) {
    out << ledger_line("bad") << '\n';
    out << counted_devices("bad") << '\n' << ledger_line("bad") << '\n';
    out << counted_devices("bad") << '\n';
    out << counted_devices("good") << ' ' << opened("good:1");
  });
  const std::string unusable = "bad unusable " + bad.error;
  CHECK(child.output ==
        "bad found COLLET_OK: \n" + bad.error + "\n" + unusable + "\n" + bad.error + "\n2 good:1");
  CHECK(child.errors.empty());
}

TEST_CASE("HOST-LOAD-6 a load that failed gives the same error at every later call") {
  const ChildResult child = with_plugins({"count_reports"}, [](std::ostream& out) {
    const std::string first = counted_devices("bad");
    for (int i = 0; i < 10; ++i) {
      out << (counted_devices("bad") == first);
    }
  });
  CHECK(child.output == "1111111111");
}

// What counting, describing and opening a device answer, in this order.
std::string answers(const std::string& backend) {
  std::uint32_t count = 0;
  collet_device_t* device = nullptr;
  collet_device_properties_t properties{};
  properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
  std::string names;
  for (const collet_status_t status : {collet_device_count(backend.c_str(), &count),
                                       collet_device_describe(backend.c_str(), 0, &properties),
                                       collet_device_open((backend + ":0").c_str(), &device)}) {
    names += std::string(collet_status_name(status)) + '\n';
  }
  return names;
}

TEST_CASE("HOST-LOAD-6 every function that needs an unusable back end says so") {
  const ChildResult unusable =
      with_plugins({"count_reports"}, [](std::ostream& out) { out << answers("bad"); });
  CHECK(unusable.output ==
        "COLLET_ERROR_UNAVAILABLE\nCOLLET_ERROR_UNAVAILABLE\nCOLLET_ERROR_UNAVAILABLE\n");
}

TEST_CASE("HOST-LOAD-5 every function that needs a plugin of another version refuses it") {
  const ChildResult other =
      with_plugins({"wrong_major"}, [](std::ostream& out) { out << answers("bad"); });
  CHECK(other.output ==
        "COLLET_ERROR_INCOMPATIBLE\nCOLLET_ERROR_INCOMPATIBLE\nCOLLET_ERROR_INCOMPATIBLE\n");
}

TEST_CASE("HOST-LOAD-5 a plugin of a newer minor version is welcome") {
  const ChildResult child =
      with_plugins({"future_minor"}, [](std::ostream& out) { out << opened("future"); });
  CHECK(child.output == "future:0");
}

TEST_CASE("backend: a plugin without devices is usable, and has nothing to open") {
  const ChildResult child = with_plugins({"no_devices"}, [](std::ostream& out) {
    out << counted_devices("empty") << '\n' << ledger_line("empty") << '\n' << opened("empty");
  });
  CHECK(child.output ==
        "0\n"
        "empty ready COLLET_OK: \n"
        "COLLET_ERROR_NO_SUCH_DEVICE: selector: there is no device \"empty\"\n"
        "    empty\n"
        "    ^^^^^   empty has no devices");
}

TEST_CASE("HOST-LOAD-5 a device whose tables are incomplete cannot be opened") {
  const auto bad = GENERATE(values<Bad>({
      {"null_memory_slot",
       "INCOMPATIBLE: selector: \"bad\" is not usable: back end \"bad\" has a NULL slot: "
       "\"host_pointer\" of its memory table"},
      {"null_memory_table",
       "INCOMPATIBLE: selector: \"bad\" is not usable: back end \"bad\" answers OK for its memory "
       "table, but gives NULL"},
      {"no_event_table",
       "INCOMPATIBLE: selector: \"bad\" is not usable: the plugin of back end \"bad\" lacks the "
       "mandatory interface \"event\": events are planned"},
      {"open_reports",
       "DEVICE_LOST: selector: \"bad\" is not usable: the fake device is in use by another "
       "process"},
      {"open_throws",
       "INTERNAL: selector: \"bad\" is not usable: back end \"bad\" let an exception out of a C "
       "function: cannot open 1"},
  }));
  const ChildResult child = with_plugins({"good", bad.folder}, [](std::ostream& out) {
    out << opened("bad") << '\n' << opened("bad,good");
  });
  CHECK(child.output == "COLLET_ERROR_" + bad.error + "\ngood:0");
}

TEST_CASE("backend: the native code of a failure reaches the error record") {
  const ChildResult child = with_plugins({"count_reports"}, [](std::ostream& out) {
    out << counted_devices("bad").empty() << ' ' << collet_last_error()->native_code << ' '
        << collet_last_error()->native_name << ' ' << collet_last_error()->backend << ' '
        << collet_last_error()->function;
  });
  CHECK(child.output == "0 35 FAKE_ERROR bad collet_device_count");
}

TEST_CASE("backend: texts that a plugin forgot to end are ended, and the id is the host's") {
  const ChildResult child = with_plugins({"garbage_text"}, [](std::ostream& out) {
    collet_device_properties_t properties{};
    properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
    out << collet_device_describe("garbage", 0, &properties) << ' ' << std::strlen(properties.name)
        << ' ' << properties.id << ' ' << opened("garbage:1");
  });
  CHECK(child.output == "0 127 garbage:0 garbage:1");
}

bool is_loaded(const std::string& name) {
  const std::string path = plugin_path({"good"}) + "/libcollet_" + name + ".so";
  return dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

TEST_CASE("HOST-LOAD-1 listing loads no plugin, and a device's use only its own") {
  const ChildResult child = with_plugins({"good", "future_minor", "kinds"}, [](std::ostream& out) {
    out << ledger_line("good") << ' ' << is_loaded("good") << '\n';
    out << opened("future") << ' ' << is_loaded("good") << ' ' << ledger_line("a_cpu") << '\n';
    out << opened("good") << ' ' << is_loaded("good");
  });
  CHECK(child.output ==
        "good found COLLET_OK:  0\n"
        "future:0 0 a_cpu found COLLET_OK: \n"
        "good:0 1");
}

TEST_CASE("HOST-SEL-6 opening a device twice gives the same handle, and memory can be asked for") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    collet_device_t* first = nullptr;
    collet_device_t* second = nullptr;
    std::uint64_t free_bytes = 0;
    std::uint64_t total_bytes = 0;
    collet_device_open("good", &first);
    collet_device_open("good:0", &second);
    out << (first != nullptr && first == second) << ' '
        << collet_device_memory_info(first, &free_bytes, &total_bytes) << ' ' << free_bytes << ' '
        << total_bytes;
  });
  CHECK(child.output == "1 0 1073741824 1073741824");
}

TEST_CASE("HOST-PRC-5 sixteen threads may make the first call at once") {
  const ChildResult child = with_plugins({"good", "count_reports"}, [](std::ostream& out) {
    constexpr int kThreads = 16;
    std::atomic<int> ready{0};
    std::vector<std::string> results(kThreads);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ready.fetch_add(1);
        while (ready.load() < kThreads) {
          std::this_thread::yield();
        }
        collet_device_t* device = nullptr;
        collet_device_open("bad,good:1", &device);
        results[static_cast<std::size_t>(i)] =
            counted_devices("bad") + " " + opened("good:1") + " " +
            std::to_string(reinterpret_cast<std::uintptr_t>(device));
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    const std::set<std::string> distinct(results.begin(), results.end());
    out << distinct.size() << ' ' << *distinct.begin();
  });
  CHECK(child.exit_status == 0);
  CHECK(child.output.starts_with(
      "1 COLLET_ERROR_UNAVAILABLE: libfake.so.1 not found (no driver on this machine) good:1 "));
}

TEST_CASE("backend: a child that is forked after the first use is told so") {
  const ChildResult parent = with_plugins({"good"}, [](std::ostream& out) {
    out << opened("good") << '\n';
    out << run_in_child([](std::ostream& inner) { inner << counted_devices("good"); }).output;
  });
  CHECK(parent.output.starts_with("good:0\nCOLLET_ERROR_FORKED: this process was forked"));
}

TEST_CASE("backend: a child of a process that has not used Collet works") {
  const ChildResult parent = with_plugins({"good"}, [](std::ostream& out) {
    out << run_in_child([](std::ostream& inner) { inner << opened("good"); }).output;
  });
  CHECK(parent.output == "good:0");
}

TEST_CASE("backend: where plugins were looked for can be asked for") {
  const ChildResult child = with_plugins({"good", "none"}, [](std::ostream& out) {
    const char* text = nullptr;
    out << collet_backend_search_text(&text) << ' ' << text << '\n'
        << collet_backend_search_text(nullptr);
  });
  CHECK(child.output == "0 plugins are looked for in " + plugin_path({"good"}) + ", " +
                            plugin_path({"none"}) + "\nCOLLET_PLUGIN_PATH: the folder \"" +
                            plugin_path({"none"}) +
                            "\" cannot be read: No such file or directory\n-1");
}

TEST_CASE("backend: wrong arguments are refused, and outputs are written") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    collet_backend_info_t info{};
    info.base = {COLLET_STRUCT_BACKEND_INFO, sizeof info, nullptr};
    info.name = "before";
    out << collet_backend_count(nullptr) << ' ' << collet_backend_info(0, nullptr) << ' '
        << collet_device_count("good", nullptr) << ' ' << collet_device_open("good", nullptr) << ' '
        << collet_device_open_default(nullptr) << ' ' << collet_current_device_get(nullptr) << '\n';
    out << counted_devices(nullptr) << '\n';
    out << collet_backend_info(1, &info) << ' ' << (info.name == nullptr) << '\n';
    info.base.type = COLLET_STRUCT_CONFIG;
    out << collet_backend_info(0, &info) << '\n';
    out << counted_devices("goodd");
  });
  CHECK(child.output ==
        "-1 -1 -1 -1 -1 -1\n"
        "COLLET_ERROR_INVALID_ARGUMENT: backend is NULL\n"
        "-5 1\n"
        "-1\n"
        "COLLET_ERROR_NO_SUCH_DEVICE: there is no back end \"goodd\"; did you mean \"good\"?\n"
        "plugins are looked for in " +
            plugin_path({"good"}));
}

}  // namespace
}  // namespace collet::test
