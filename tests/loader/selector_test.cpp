// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace collet::loader {
namespace {

const std::vector<std::string> kKnown = {"cpu", "cuda", "opencl", "sim"};

std::vector<SelectorItem> parse(const std::string& text) {
  return parse_selector({"COLLET_DEVICE", text}, kKnown);
}

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const Error& error) {
    CHECK(error.status() == COLLET_ERROR_MALFORMED);
    return error.message();
  }
  return "no error";
}

TEST_CASE("selector: a back end, an index and auto are items") {
  CHECK(parse("cpu").at(0).backend == "cpu");
  CHECK_FALSE(parse("cpu").at(0).index.has_value());
  CHECK_FALSE(parse("cpu").at(0).is_auto());
  CHECK(parse("auto").at(0).is_auto());
  CHECK(parse("cpu:0").at(0).index == 0U);
  CHECK(parse("my_npu2:10").at(0).backend == "my_npu2");
  CHECK(parse("my_npu2:10").at(0).index == 10U);
}

TEST_CASE("selector: a list keeps its order") {
  const auto items = parse("cuda:1,opencl,auto");
  REQUIRE(items.size() == 3);
  CHECK(items[0].backend == "cuda");
  CHECK(items[0].index == 1U);
  CHECK(items[1].backend == "opencl");
  CHECK(items[2].is_auto());
}

TEST_CASE("selector: two devices of one back end, and the back end itself, are different items") {
  CHECK(parse("cpu:0,cpu:1").size() == 2);
  CHECK(parse("cpu:1,cpu").size() == 2);
}

TEST_CASE("selector: an index of any length is a number, and never another device's") {
  constexpr std::uint32_t kGreatest = std::numeric_limits<std::uint32_t>::max();
  CHECK(parse("cpu:256").at(0).index == 256U);
  CHECK(parse("cpu:4294967294").at(0).index == kGreatest - 1);
  for (const char* digits : {"4294967295", "4294967296", "9223372036854775807",
                             "9223372036854775808", "18446744073709551615", "18446744073709551616",
                             "18446744073709551617", "340282366920938463463374607431768211456"}) {
    CHECK(parse(std::string("cpu:") + digits).at(0).index == kGreatest);
  }
}

struct Bad {
  std::string text;
  std::string message;
};

TEST_CASE("HOST-SEL-1 a fault is named, with a caret under it and a hint") {
  const std::string names =
      "names are lower-case letters, digits and \"_\", and begin with a letter";
  const auto bad = GENERATE_COPY(values<Bad>({
      {"",
       "the selector is empty\n"
       "    \n"
       "    ^   for instance \"cpu\", \"cpu:0\" or \"auto\""},
      {" cpu",
       "there are no spaces in a selector\n"
       "     cpu\n"
       "    ^   remove it"},
      {"cpu ",
       "there are no spaces in a selector\n"
       "    cpu \n"
       "       ^   remove it"},
      {"cpu:0 ",
       "there are no spaces in a selector\n"
       "    cpu:0 \n"
       "         ^   remove it"},
      {"cpu, cuda",
       "there are no spaces in a selector\n"
       "    cpu, cuda\n"
       "        ^   remove it"},
      {"cpu\n",
       "there are no spaces in a selector\n"
       "    cpu\\x0a\n"
       "       ^^^^   remove it"},
      {"cpu:",
       "the index after \":\" is missing\n"
       "    cpu:\n"
       "       ^   for instance \"cpu:0\""},
      {":0",
       "the name of the back end is missing\n"
       "    :0\n"
       "    ^   for instance \"cpu:0\""},
      {"cpu:-1",
       "\"-1\" is no index\n"
       "    cpu:-1\n"
       "        ^^   an index is 0, 1, 2, ..."},
      {"cpu:+1",
       "\"+1\" is no index\n"
       "    cpu:+1\n"
       "        ^^   an index is 0, 1, 2, ..."},
      {"cpu:0x1",
       "\"0x1\" is no index\n"
       "    cpu:0x1\n"
       "        ^^^   an index is 0, 1, 2, ..."},
      {"cpu:0:1",
       "\"0:1\" is no index\n"
       "    cpu:0:1\n"
       "        ^^^   an index is 0, 1, 2, ..."},
      {"cpu:00",
       "an index has no leading zeros\n"
       "    cpu:00\n"
       "        ^^   did you mean \"cpu:0\"?"},
      {"cuda,cpu:007",
       "an index has no leading zeros\n"
       "    cuda,cpu:007\n"
       "             ^^^   did you mean \"cpu:7\"?"},
      {"cpu:1,,",
       "an item of the list is empty\n"
       "    cpu:1,,\n"
       "          ^   remove the comma, or name a back end"},
      {",",
       "an item of the list is empty\n"
       "    ,\n"
       "    ^   remove the comma, or name a back end"},
      {"cpu,",
       "an item of the list is empty\n"
       "    cpu,\n"
       "        ^   remove the comma, or name a back end"},
      {"cpu,cpu",
       "\"cpu\" is listed twice\n"
       "    cpu,cpu\n"
       "        ^^^   remove it"},
      {"cpu:1,cuda,cpu:1",
       "\"cpu:1\" is listed twice\n"
       "    cpu:1,cuda,cpu:1\n"
       "               ^^^^^   remove it"},
      {"auto:1",
       "\"auto\" takes no index\n"
       "    auto:1\n"
       "        ^^   it chooses among all devices"},
      {"auto:",
       "\"auto\" takes no index\n"
       "    auto:\n"
       "        ^   it chooses among all devices"},
      {"CPU",
       "\"CPU\" is no name of a back end\n"
       "    CPU\n"
       "    ^^^   did you mean \"cpu\"?"},
      {"Auto",
       "\"Auto\" is no name of a back end\n"
       "    Auto\n"
       "    ^^^^   did you mean \"auto\"?"},
      {"9223372036854775808",
       "\"9223372036854775808\" is no name of a back end\n"
       "    9223372036854775808\n"
       "    ^^^^^^^^^^^^^^^^^^^   an index stands behind its back end, for instance \"cpu:0\""},
      {"_cpux_x",
       "\"_cpux_x\" is no name of a back end\n"
       "    _cpux_x\n"
       "    ^^^^^^^   " +
           names},
      {"cp\xc3\xbc:0",
       "\"cp\\xc3\\xbc\" is no name of a back end\n"
       "    cp\\xc3\\xbc:0\n"
       "    ^^^^^^^^^^   " +
           names},
      {"\xff\xfe\x1b[31m",
       "\"\\xff\\xfe\\x1b[31m\" is no name of a back end\n"
       "    \\xff\\xfe\\x1b[31m\n"
       "    ^^^^^^^^^^^^^^^^   " +
           names},
      {std::string("cpu\0:1", 6),
       "\"cpu\\x00\" is no name of a back end\n"
       "    cpu\\x00:1\n"
       "    ^^^^^^^   did you mean \"cpu\"?"},
  }));
  CHECK(fault_of(bad.text) == "COLLET_DEVICE: " + bad.message);
}

TEST_CASE("selector: an overlong text is cut to the neighbourhood of the fault") {
  const std::string message = fault_of(std::string(5000, 'x') + ":1");
  CHECK(message ==
        "COLLET_DEVICE: the name is too long for a back end\n"
        "    xxxxxxxxxxxxxxxxxxxxxxxx...:1\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^");
  const std::string far = fault_of("cpu:" + std::string(5000, '1') + "z,cuda");
  CHECK(far.size() < 300);
  CHECK(far.find("...\" is no index") == std::string::npos);
  CHECK(far.find("is no index\n    cpu:111111111111111111111111...,cuda\n        ^^^^") !=
        std::string::npos);
}

TEST_CASE("selector: the origin is where the selector was written") {
  try {
    static_cast<void>(parse_selector({"collet_configure: device", ":"}, kKnown));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message().starts_with("collet_configure: device: the name"));
  }
}

TEST_CASE("selector: a hint is the nearest name, and none where nothing is near") {
  CHECK(did_you_mean("cudaa", kKnown) == "did you mean \"cuda\"?");
  CHECK(did_you_mean("cdua", kKnown) == "did you mean \"cuda\"?");
  CHECK(did_you_mean("opencll", kKnown) == "did you mean \"opencl\"?");
  CHECK(did_you_mean("OpenCL", kKnown) == "did you mean \"opencl\"?");
  CHECK(did_you_mean("atuo", kKnown) == "did you mean \"auto\"?");
  CHECK(did_you_mean("vulkan", kKnown).empty());
  CHECK(did_you_mean("x", kKnown).empty());
  CHECK(did_you_mean("", kKnown).empty());
}

}  // namespace
}  // namespace collet::loader
