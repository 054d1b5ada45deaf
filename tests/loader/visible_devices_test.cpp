// SPDX-License-Identifier: Apache-2.0
#include "visible_devices.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace collet::loader {
namespace {

using Kind = VisibleEntry::Kind;
using Indices = std::vector<std::uint32_t>;

const std::vector<std::string> kKnown = {"cpu", "cuda", "opencl", "sim"};

std::vector<VisibleSection> parse(const std::string& text) {
  return parse_visible_devices({"COLLET_VISIBLE_DEVICES", text}, kKnown);
}

collet_device_properties_t describe(std::uint32_t index) {
  collet_device_properties_t device{};
  std::snprintf(device.pci_address, sizeof device.pci_address, "0000:6%x:00.0", index);
  std::snprintf(device.uuid, sizeof device.uuid, "GPU-abcdef0%x-1111-2222-3333-444444444444",
                index);
  return device;
}

// What the text makes of a back end with four devices.
Indices mapped(const std::string& text, const char* backend = "cuda") {
  const VisibleDevices devices({"COLLET_VISIBLE_DEVICES", text}, kKnown);
  return devices.map(backend, 4, describe);
}

std::string fault_of(const std::string& text, collet_status_t status) {
  try {
    static_cast<void>(mapped(text));
  } catch (const Error& error) {
    CHECK(error.status() == status);
    return error.message();
  }
  return "no error";
}

TEST_CASE("HOST-VIS-1 indices, ranges and stars are entries, in the order they are written") {
  CHECK(mapped("cuda:2,3;opencl:0;cpu:*") == Indices{2, 3});
  CHECK(mapped("cuda:2,3;opencl:0;cpu:*", "opencl") == Indices{0});
  CHECK(mapped("cuda:2,3;opencl:0;cpu:*", "cpu") == Indices{0, 1, 2, 3});
  CHECK(mapped("cuda:3,0-1") == Indices{3, 0, 1});
  CHECK(mapped("cuda:0-3") == Indices{0, 1, 2, 3});
  CHECK(mapped("cuda:2-2") == Indices{2});
}

TEST_CASE("HOST-VIS-2 unset shows all devices, and empty or another back end shows none") {
  CHECK(VisibleDevices().map("cuda", 3, describe) == Indices{0, 1, 2});
  CHECK_FALSE(VisibleDevices().restricts("cuda"));
  CHECK_FALSE(VisibleDevices().hides("cuda"));
  const VisibleDevices none({"COLLET_VISIBLE_DEVICES", ""}, kKnown);
  CHECK(none.hides("cuda"));
  CHECK(none.map("cuda", 3, describe).empty());
  CHECK(mapped("cpu:0").empty());
  const VisibleDevices all({"COLLET_VISIBLE_DEVICES", "cuda:*"}, kKnown);
  CHECK_FALSE(all.restricts("cuda"));
  CHECK(all.hides("cpu"));
}

TEST_CASE("HOST-VIS-1 a device may be named by PCI address or uuid, in any case of letters") {
  CHECK(mapped("cuda:0000:62:00.0") == Indices{2});
  CHECK(mapped("cuda:62:00.0,00000000:61:00.0") == Indices{2, 1});
  CHECK(mapped("cuda:GPU-abcdef03-1111-2222-3333-444444444444") == Indices{3});
  CHECK(mapped("cuda:ABCDEF01-1111-2222-3333-444444444444,0") == Indices{1, 0});
  CHECK(parse("cuda:12345678").at(0).entries.at(0).kind == Kind::kIndices);
  CHECK(parse("cuda:1234-5678").at(0).entries.at(0).kind == Kind::kIndices);
  CHECK(parse("cuda:MIG-1234-5678").at(0).entries.at(0).kind == Kind::kUuid);
}

TEST_CASE("HOST-VIS-1 an index of any length is a number, and never another device's") {
  constexpr std::uint32_t kGreatest = std::numeric_limits<std::uint32_t>::max();
  CHECK(parse("cuda:4294967295").at(0).entries.at(0).first == kGreatest);
  CHECK(parse("cuda:18446744073709551616").at(0).entries.at(0).first == kGreatest);
  // A range that no memory could hold ends in an error, not in an attempt.
  CHECK(fault_of("cuda:0-4294967295", COLLET_ERROR_NO_SUCH_DEVICE) ==
        "COLLET_VISIBLE_DEVICES: \"cuda:0-4294967295\" goes past the last device\n"
        "    cuda:0-4294967295\n"
        "         ^^^^^^^^^^^^   cuda has 4 devices: 0 to 3");
}

struct Bad {
  std::string text;
  collet_status_t status;
  std::string message;
};

TEST_CASE("HOST-VIS-3 a fault is named, with a caret under it and a hint") {
  constexpr auto kMalformed = COLLET_ERROR_MALFORMED;
  constexpr auto kMissing = COLLET_ERROR_NO_SUCH_DEVICE;
  const auto bad = GENERATE_COPY(values<Bad>({
      {"cuda", kMalformed,
       "which devices of \"cuda\" are visible is missing\n"
       "    cuda\n"
       "    ^^^^   did you mean \"cuda:*\"?"},
      {"cuda:", kMalformed,
       "which devices of \"cuda\" are visible is missing\n"
       "    cuda:\n"
       "    ^^^^^   did you mean \"cuda:*\"?"},
      {"0,1", kMalformed,
       "\"0,1\" is no name of a back end\n"
       "    0,1\n"
       "    ^^^   an index stands behind its back end, for instance \"cpu:0\""},
      {"cuda:0;", kMalformed,
       "there is no back end here\n"
       "    cuda:0;\n"
       "           ^   remove the \";\", or write for instance \"cpu:*\""},
      {"cuda:0, 1", kMalformed,
       "there are no spaces in a selector\n"
       "    cuda:0, 1\n"
       "           ^   remove it"},
      {"cuda:0,,1", kMalformed,
       "an item of the list is empty\n"
       "    cuda:0,,1\n"
       "           ^   remove the comma, or write an index"},
      {"cuda:-1", kMalformed,
       "\"-1\" is no index\n"
       "    cuda:-1\n"
       "         ^^   an index is 0, 1, 2, ..."},
      {"cuda:01", kMalformed,
       "an index has no leading zeros\n"
       "    cuda:01\n"
       "         ^^   did you mean \"cuda:1\"?"},
      {"cuda:3-1", kMalformed,
       "the range runs backwards\n"
       "    cuda:3-1\n"
       "         ^^^   did you mean \"1-3\"? another order is written out, such as 2,1,0"},
      {"cuda:0,0", kMalformed,
       "\"0\" is listed already, in \"0\"\n"
       "    cuda:0,0\n"
       "           ^   remove it"},
      {"cuda:0-2,1", kMalformed,
       "\"1\" is listed already, in \"0-2\"\n"
       "    cuda:0-2,1\n"
       "             ^   remove it"},
      {"cuda:1,*", kMalformed,
       "\"*\" stands for all devices, and stands alone\n"
       "    cuda:1,*\n"
       "           ^   remove the others"},
      {"cuda:0;cpu:*;cuda:1", kMalformed,
       "\"cuda\" is listed twice\n"
       "    cuda:0;cpu:*;cuda:1\n"
       "                 ^^^^   write all its devices in one place: cuda:0,1"},
      {"cuda:0,cuda:1", kMalformed,
       "\"cuda:1\" is no index, range, PCI address or uuid\n"
       "    cuda:0,cuda:1\n"
       "           ^^^^^^   the back end is written once: cuda:0,1"},
      {"cuda:0,cpu:1", kMalformed,
       "\"cpu:1\" is no index, range, PCI address or uuid\n"
       "    cuda:0,cpu:1\n"
       "           ^^^^^   did you mean \";\" before it?"},
      {"cuda:65:00:0", kMalformed,
       "\"65:00:0\" is no index, range, PCI address or uuid\n"
       "    cuda:65:00:0\n"
       "         ^^^^^^^   a PCI address is written as 0000:65:00.0"},
      {"auto:*", kMalformed,
       "\"auto\" is no name of a back end\n"
       "    auto:*\n"
       "    ^^^^   it is a choice for COLLET_DEVICE"},
      {"cuda:60:00.0,0", kMalformed,
       "\"0\" is device 0, which is listed already\n"
       "    cuda:60:00.0,0\n"
       "                 ^   remove it"},
      {"cuad:0", kMissing,
       "there is no back end \"cuad\"\n"
       "    cuad:0\n"
       "    ^^^^   did you mean \"cuda\"?\n"
       "back ends here: cpu, cuda, opencl, sim"},
      {"cuda:1,4", kMissing,
       "\"cuda:4\" does not exist\n"
       "    cuda:1,4\n"
       "           ^   cuda has 4 devices: 0 to 3"},
      {"cuda:0000:66:00.0", kMissing,
       "no device of \"cuda\" has the PCI address \"0000:66:00.0\"\n"
       "    cuda:0000:66:00.0\n"
       "         ^^^^^^^^^^^^   did you mean \"0000:60:00.0\"?"},
      {"cuda:ffffffff-ffff", kMissing,
       "no device of \"cuda\" has the uuid \"ffffffff-ffff\"\n"
       "    cuda:ffffffff-ffff\n"
       "         ^^^^^^^^^^^^^   cuda has 4 devices: 0 to 3"},
  }));
  CHECK(fault_of(bad.text, bad.status) == "COLLET_VISIBLE_DEVICES: " + bad.message);
}

}  // namespace
}  // namespace collet::loader
