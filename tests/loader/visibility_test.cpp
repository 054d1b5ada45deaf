// SPDX-License-Identifier: Apache-2.0
// COLLET_VISIBLE_DEVICES through the exported functions: one map, wherever devices are counted,
// described, opened or named.
#include <cstdlib>
#include <ostream>
#include <string>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

ChildResult with_visible(std::initializer_list<std::string> folders, const char* visible,
                         const std::function<void(std::ostream&)>& body) {
  return with_plugins(folders, [&](std::ostream& out) {
    setenv("COLLET_VISIBLE_DEVICES", visible, 1);
    body(out);
  });
}

// "many:0 = Fake device 2, physical 2"
std::string described(const char* backend, std::uint32_t index) {
  collet_device_properties_t properties{};
  properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
  if (collet_device_describe(backend, index, &properties) != COLLET_OK) {
    return last_error();
  }
  return std::string(properties.id) + " = " + properties.name + ", physical " +
         std::to_string(properties.physical_index);
}

TEST_CASE("HOST-VIS-1 devices are counted, described and opened by their new numbers") {
  const ChildResult child = with_visible({"addresses", "good"}, "many:3,1", [](auto& out) {
    out << counted_devices("many") << '\n'
        << described("many", 0) << '\n'
        << described("many", 1) << '\n'
        << described("many", 2) << '\n'
        << opened("many") << ' ' << opened("many:1") << '\n'
        << opened("many:3");
  });
  const std::string there =
      "many has 2 visible devices: many:0 (physical many:3) and many:1, by "
      "COLLET_VISIBLE_DEVICES=\"many:3,1\"";
  CHECK(child.output ==
        "2\n"
        "many:0 = Fake device 3, physical 3\n"
        "many:1 = Fake device 1, physical 1\n"
        "COLLET_ERROR_NO_SUCH_DEVICE: there is no device \"many:2\"; " +
            there +
            "\nmany:0 many:1\n"
            "COLLET_ERROR_NO_SUCH_DEVICE: selector: there is no device \"many:3\"\n"
            "    many:3\n"
            "         ^   " +
            there);
  CHECK(child.errors.empty());
}

TEST_CASE("HOST-VIS-1 the plugin is asked for its own index, and errors name both") {
  const ChildResult child = with_visible({"addresses"}, "many:2,0", [](auto& out) {
    out << opened("many:1") << '\n' << opened("many:0") << '\n';
    collet_device_t* device = nullptr;
    collet_device_open("many:0", &device);
    const collet_program_image_t image{"text", "image", 5};
    collet_program_desc_t desc{};
    desc.base = {COLLET_STRUCT_PROGRAM_DESC, sizeof desc, nullptr};
    desc.images = &image;
    desc.image_count = 1;
    collet_program_t* program = nullptr;
    static_cast<void>(collet_program_create(device, &desc, &program));
    out << last_error();
  });
  CHECK(child.output ==
        "COLLET_ERROR_UNAVAILABLE: selector: \"many:1\" (physical many:0) is not usable: the fake "
        "device 0 is in use by another process\n"
        "many:0\n"
        "COLLET_ERROR_UNSUPPORTED: many:0 (physical many:2) does not run programs: a fake device "
        "has only memory, streams and events");
}

TEST_CASE("HOST-VIS-1 PCI addresses and uuids name physical devices") {
  const ChildResult child =
      with_visible({"addresses"}, "many:0000:02:00.0,GPU-00000000-fake-0000-0000-000000000001",
                   [](auto& out) { out << described("many", 0) << '\n'
                                       << described("many", 1); });
  CHECK(child.output ==
        "many:0 = Fake device 2, physical 2\n"
        "many:1 = Fake device 1, physical 1");
}

TEST_CASE("HOST-VIS-2 a back end that is not listed has no devices, and is not loaded") {
  const ChildResult child = with_visible({"addresses", "good"}, "good:0", [](auto& out) {
    out << counted_devices("many") << ' ' << ledger_line("many") << '\n'
        << opened("many") << '\n'
        << opened("auto") << ' ' << counted_devices("good");
  });
  CHECK(child.output ==
        "0 many found COLLET_OK: \n"
        "COLLET_ERROR_NO_SUCH_DEVICE: selector: there is no device \"many\"\n"
        "    many\n"
        "    ^^^^   many has no visible devices, by COLLET_VISIBLE_DEVICES=\"good:0\"\n"
        "good:0 1");
}

TEST_CASE("HOST-VIS-2 empty means that no device exists") {
  const ChildResult child = with_visible({"good"}, "", [](auto& out) {
    out << counted_devices("good") << '\n' << opened(nullptr);
  });
  CHECK(child.output ==
        "0\n"
        "COLLET_ERROR_UNAVAILABLE: COLLET_DEVICE (unset, so auto): no back end has a device that "
        "\"auto\" may choose\n"
        "back ends here: good (0 devices)\n"
        "COLLET_VISIBLE_DEVICES=\"\" hides devices");
}

TEST_CASE("HOST-VIS-3 a text that is wrong makes every use of a device fail alike") {
  const ChildResult child = with_visible({"good"}, "goood:0", [](auto& out) {
    for (const std::string& answer :
         {counted_devices("good"), described("good", 0), opened("good"), opened(nullptr)}) {
      out << (answer ==
              "COLLET_ERROR_NO_SUCH_DEVICE: COLLET_VISIBLE_DEVICES: there is no back end "
              "\"goood\"\n"
              "    goood:0\n"
              "    ^^^^^   did you mean \"good\"?\n"
              "back ends here: good");
    }
    out << ' ' << ledger_line("good");
  });
  CHECK(child.output == "1111 good found COLLET_OK: ");
}

TEST_CASE("HOST-VIS-3 a device that does not exist is an error, even behind a fall-back") {
  const ChildResult child = with_visible({"addresses", "good"}, "many:9;good:*", [](auto& out) {
    for (const std::string& answer :
         {counted_devices("many"), opened("many,good"), opened("auto"), opened(nullptr)}) {
      out << (answer ==
              "COLLET_ERROR_NO_SUCH_DEVICE: COLLET_VISIBLE_DEVICES: \"many:9\" does not exist\n"
              "    many:9;good:*\n"
              "         ^   many has 4 devices: 0 to 3");
    }
    out << ' ' << opened("good");
  });
  CHECK(child.output == "1111 good:0");
}

TEST_CASE("HOST-VIS-4 the configuration wins over the environment") {
  const ChildResult child = with_visible({"addresses"}, "many:1", [](auto& out) {
    collet_config_t config{};
    config.base = {COLLET_STRUCT_CONFIG, sizeof config, nullptr};
    config.visible_devices = "many:3";
    out << collet_configure(&config) << ' ' << described("many", 0) << '\n' << described("many", 1);
  });
  CHECK(child.output ==
        "0 many:0 = Fake device 3, physical 3\n"
        "COLLET_ERROR_NO_SUCH_DEVICE: there is no device \"many:1\"; many has 1 visible device: "
        "many:0 (physical many:3), by collet_configure: visible_devices=\"many:3\"");
}

}  // namespace
}  // namespace collet::test
