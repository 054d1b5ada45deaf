// SPDX-License-Identifier: Apache-2.0
// Which device a selector opens, and what is said where it opens none.
#include <cstdlib>
#include <ostream>
#include <string>
#include <thread>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

std::string default_with(std::initializer_list<std::string> folders, const char* variable) {
  return with_plugins(folders,
                      [&](std::ostream& out) {
                        if (variable != nullptr) {
                          setenv("COLLET_DEVICE", variable, 1);
                        }
                        out << opened(nullptr);
                      })
      .output;
}

TEST_CASE("selection: COLLET_DEVICE names the default device") {
  CHECK(default_with({"good", "kinds"}, "good:1") == "good:1");
  CHECK(default_with({"good", "kinds"}, "good") == "good:0");
  CHECK(default_with({"good", "kinds"}, "e_sim:1") == "e_sim:1");
}

TEST_CASE("HOST-SEL-4 auto ranks by kind, then memory, then name") {
  CHECK(default_with({"good", "kinds"}, nullptr) == "c_gpu:0");
  CHECK(default_with({"good", "kinds"}, "auto") == "c_gpu:0");
  CHECK(default_with({"good", "future_minor"}, nullptr) == "future:0");
}

TEST_CASE("HOST-SEL-4 auto takes a processor itself before one behind a driver") {
  CHECK(default_with({"good", "driver"}, nullptr) == "good:0");
  CHECK(default_with({"driver"}, nullptr) == "behind_driver:0");
}

TEST_CASE("HOST-SEL-4 auto never chooses a simulated device") {
  CHECK(default_with({"simulated", "good"}, nullptr) == "good:0");
  CHECK(default_with({"simulated"}, nullptr) ==
        "COLLET_ERROR_UNAVAILABLE: COLLET_DEVICE (unset, so auto): no back end has a device that "
        "\"auto\" may choose\n"
        "back ends here: sim (2 devices)");
}

TEST_CASE("selection: auto passes over a device that does not open") {
  CHECK(default_with({"good", "open_reports"}, nullptr) == "good:0");
}

TEST_CASE("selection: auto that ends at the CPU warns of plugins that are unusable, once") {
  const ChildResult child = with_plugins({"good", "count_reports"}, [](std::ostream& out) {
    out << opened("auto") << ' ' << opened("auto") << ' ' << opened(nullptr);
  });
  CHECK(child.output == "good:0 good:0 good:0");
  CHECK(child.errors ==
        "collet: warning: auto has chosen good:0; bad is installed but not usable: libfake.so.1 "
        "not found (no driver on this machine)\n");
}

const char* const kMissing =
    "collet: warning: auto: the driver of an NVIDIA GPU is here (/dev/nvidiactl), and there is no "
    "back end \"cuda\"; install its plugin, or set COLLET_DEVICE=good:0 if that is what you want\n";

// What is warned of where the files of drivers are there, and the variable is set.
std::string warned_beside(const char* driver_files, std::initializer_list<std::string> folders,
                          const char* variable = nullptr, const char* value = nullptr) {
  return with_plugins(folders,
                      [&](std::ostream&) {
                        setenv("FAKE_DRIVER_FILES", driver_files, 1);
                        if (variable != nullptr) {
                          setenv(variable, value, 1);
                        }
                        static_cast<void>(opened("auto"));
                        static_cast<void>(opened("auto"));
                      })
      .errors;
}

TEST_CASE("HOST-SEL-4 auto that ends at the CPU warns of a GPU's driver without a plugin, once") {
  CHECK(warned_beside("", {"good"}).empty());
  CHECK(warned_beside("/dev/nvidiactl", {"good"}) == kMissing);
  const std::string below_windows = "/usr/lib/wsl/lib/libcuda.so.1";
  CHECK(warned_beside((below_windows + ":/dev/nvidia0").c_str(), {"good"})
            .find("is here (" + below_windows + ")") != std::string::npos);
  CHECK(warned_beside((below_windows + ":/dev/nvidiactl").c_str(), {"good"}) == kMissing);
}

TEST_CASE("HOST-SEL-4 auto is silent about a driver where a plugin is there, or not wanted") {
  const char* driver = "/dev/nvidiactl";
  CHECK(warned_beside(driver, {"good", "unusable"}) ==
        "collet: warning: auto has chosen good:0; cuda is installed but not usable: libfake.so.1 "
        "not found (no driver on this machine)\n");
  CHECK(warned_beside(driver, {"kinds"}).empty());
  CHECK(warned_beside(driver, {"good"}, "COLLET_PLUGINS", "good").empty());
  CHECK(warned_beside(driver, {"good"}, "COLLET_VISIBLE_DEVICES", "good:*").empty());
}

TEST_CASE("selection: auto that ends at a GPU is silent") {
  const ChildResult child =
      with_plugins({"kinds", "count_reports"}, [](std::ostream& out) { out << opened("auto"); });
  CHECK(child.output == "c_gpu:0");
  CHECK(child.errors.empty());
}

TEST_CASE("HOST-SEL-3 the first usable item of a list wins") {
  const ChildResult child = with_plugins({"good", "count_reports", "no_devices"}, [](auto& out) {
    out << opened("bad,good:1") << ' ' << opened("good:7,good:1") << ' ' << opened("empty,good")
        << ' ' << opened("bad,auto") << ' ' << opened("good:1,bad");
  });
  CHECK(child.output == "good:1 good:1 good:0 good:0 good:1");
}

struct Wrong {
  std::string selector;
  std::string error;
};

TEST_CASE("HOST-SEL-2 a wrong selector is told with what is there") {
  const std::string here =
      "\nback ends here: empty (0 devices), good (2 devices)\n"
      "bad is installed but not usable: libfake.so.1 not found (no driver on this machine)";
  const auto wrong = GENERATE_COPY(values<Wrong>({
      {"goood:0",
       "NO_SUCH_DEVICE: COLLET_DEVICE: there is no back end \"goood\"\n"
       "    goood:0\n"
       "    ^^^^^   did you mean \"good\"?" +
           here},
      // A mistake in a name is told, even behind an item that would do.
      {"good,vulkan",
       "NO_SUCH_DEVICE: COLLET_DEVICE: there is no back end \"vulkan\"\n"
       "    good,vulkan\n"
       "         ^^^^^^" +
           here},
      {"good:256",
       "NO_SUCH_DEVICE: COLLET_DEVICE: there is no device \"good:256\"\n"
       "    good:256\n"
       "         ^^^   good has 2 devices: good:0 and good:1"},
      {"good:18446744073709551616",
       "NO_SUCH_DEVICE: COLLET_DEVICE: there is no device \"good:18446744073709551616\"\n"
       "    good:18446744073709551616\n"
       "         ^^^^^^^^^^^^^^^^^^^^   good has 2 devices: good:0 and good:1"},
      {"empty",
       "NO_SUCH_DEVICE: COLLET_DEVICE: there is no device \"empty\"\n"
       "    empty\n"
       "    ^^^^^   empty has no devices"},
      {"bad:0",
       "UNAVAILABLE: COLLET_DEVICE: \"bad:0\" is not usable: libfake.so.1 not found (no driver on "
       "this machine)"},
  }));
  CHECK(default_with({"good", "count_reports", "no_devices"}, wrong.selector.c_str()) ==
        "COLLET_ERROR_" + wrong.error);
}

TEST_CASE("HOST-SEL-3 where no item of a list is usable, each one's reason is told") {
  CHECK(default_with({"good", "count_reports", "no_devices"}, "bad,good:2,empty:0") ==
        "COLLET_ERROR_UNAVAILABLE: COLLET_DEVICE: nothing in \"bad,good:2,empty:0\" is usable\n"
        "    bad: libfake.so.1 not found (no driver on this machine)\n"
        "    good:2: good has 2 devices: good:0 and good:1\n"
        "    empty:0: empty has no devices");
}

TEST_CASE("HOST-SEL-1 a selector that does not follow the grammar is MALFORMED, with a caret") {
  const auto wrong = GENERATE(values<Wrong>({
      {"", "the selector is empty\n    \n    ^   "},
      {"good:00", "an index has no leading zeros\n    good:00\n         ^^   "},
      {"good:-1", "\"-1\" is no index\n    good:-1\n         ^^   "},
      {"good:", "the index after \":\" is missing\n    good:\n        ^   "},
      {"good, good:1", "there are no spaces in a selector\n    good, good:1\n         ^   "},
      {"good,,good:1", "an item of the list is empty\n    good,,good:1\n         ^   "},
      {"auto:0", "\"auto\" takes no index\n    auto:0\n        ^^   "},
      {"Good", "\"Good\" is no name of a back end\n    Good\n    ^^^^   "},
  }));
  INFO(wrong.selector);
  const std::string seen = default_with({"good"}, wrong.selector.c_str());
  INFO(seen);
  CHECK(seen.starts_with("COLLET_ERROR_MALFORMED: COLLET_DEVICE: " + wrong.error));
}

TEST_CASE("HOST-SEL-5 a variable that is set and empty is an error, not the default") {
  CHECK(default_with({"good"}, "").starts_with("COLLET_ERROR_MALFORMED: COLLET_DEVICE: "));
  CHECK(default_with({"good"}, nullptr) == "good:0");
}

TEST_CASE("HOST-LOAD-5 a plugin that does not fit is INCOMPATIBLE where it alone is named") {
  CHECK(default_with({"wrong_major", "good"}, "bad").starts_with("COLLET_ERROR_INCOMPATIBLE: "));
  CHECK(default_with({"wrong_major", "good"}, "bad,good:9")
            .starts_with("COLLET_ERROR_UNAVAILABLE: "));
}

TEST_CASE("selection: without a plugin the error says where they were looked for") {
  CHECK(default_with({"none"}, "cpu") ==
        "COLLET_ERROR_NO_SUCH_DEVICE: COLLET_DEVICE: there is no back end \"cpu\"\n"
        "    cpu\n"
        "    ^^^\n"
        "there are no usable back ends here; plugins are looked for in " +
            plugin_path({"none"}) + "\nCOLLET_PLUGIN_PATH: the folder \"" + plugin_path({"none"}) +
            "\" cannot be read: No such file or directory");
}

TEST_CASE("selection: each thread has its own current device, and at first the default one") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    collet_device_t* first = nullptr;
    collet_device_t* second = nullptr;
    collet_device_t* current = nullptr;
    collet_device_t* other = nullptr;
    collet_device_open("good:0", &first);
    collet_device_open("good:1", &second);
    out << collet_current_device_set(second) << collet_current_device_get(&current)
        << (current == second);
    std::thread([&] { collet_current_device_get(&other); }).join();
    out << (other == first);
    out << collet_current_device_set(nullptr) << collet_current_device_get(&current)
        << (current == first) << ' ';
    int rubbish[64] = {};
    out << collet_current_device_set(reinterpret_cast<collet_device_t*>(rubbish));
  });
  CHECK(child.output == "0011001 -2");
}

}  // namespace
}  // namespace collet::test
