// SPDX-License-Identifier: Apache-2.0
// COLLET_MEMORY, seen by a host program.
#include <collet/allocator.h>
#include <collet/config.h>
#include <collet/device.h>
#include <collet/stream.h>

#include <cstdlib>
#include <functional>
#include <ostream>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

// What opening the default device says where COLLET_MEMORY has this value.
std::string opened_with(const char* settings) {
  return with_plugins({"good"},
                      [&](std::ostream& out) {
                        setenv("COLLET_MEMORY", settings, 1);
                        out << opened(nullptr);
                      })
      .output;
}

}  // namespace

TEST_CASE("HOST-MEM-8 settings that are well written are accepted") {
  for (const char* settings :
       {"", "pool=on", "pool=off", "limit=80%", "limit=100%", "limit=1%", "limit=4GiB",
        "limit=1024", "limit=0B", "max_split=20MiB", "max_split=1TiB", "divisions=1",
        "divisions=64", "pool=on,limit=3KiB,max_split=64MiB,divisions=4", "divisions=4,pool=off"}) {
    INFO(settings);
    CHECK(opened_with(settings) == "good:0");
  }
}

TEST_CASE("HOST-MEM-8 a fault has a caret under it, and says what is possible") {
  const auto refused = [](const char* settings, const std::string& what, const std::string& caret) {
    INFO(settings);
    CHECK(opened_with(settings) == "COLLET_ERROR_MALFORMED: COLLET_MEMORY: " + what + "\n    " +
                                       settings + "\n    " + caret);
  };
  refused("limt=80%", "there is no setting \"limt\"", "^^^^   did you mean \"limit\"?");
  refused("pool=on,quota=1", "there is no setting \"quota\"",
          "        ^^^^^   there are pool, limit, max_split, divisions");
  refused("pool", "\"pool\" has no value", "^^^^   write \"pool=\"");
  refused("pool=yes", "\"yes\" is none of \"on\", \"off\" and \"native\"", "     ^^^");
  refused("pool=", "\"\" is none of \"on\", \"off\" and \"native\"", "     ^");
  refused("=1", "the name of a setting is missing", "^   for instance \"limit=80%\"");
  refused("pool=on,", "the name of a setting is missing", "        ^   for instance \"limit=80%\"");
  refused("pool=on,pool=on", "\"pool\" is given twice", "        ^^^^   remove one of them");
  refused("limit=101%", "a share is a whole number from 1% to 100%",
          "      ^^^^   \"limit=80%\" or \"limit=4GiB\"");
  refused("limit=0%", "a share is a whole number from 1% to 100%",
          "      ^^   \"limit=80%\" or \"limit=4GiB\"");
  refused("limit=1.5GiB", "\".5GiB\" is no unit",
          "       ^^^^^   there are B, KiB, MiB, GiB and TiB");
  refused("limit=4GB", "\"GB\" is no unit", "       ^^   there are B, KiB, MiB, GiB and TiB");
  refused("limit=-1", "a number is missing",
          "      ^^   for instance \"limit=80%\" or \"limit=4GiB\"");
  refused("limit=", "a number is missing",
          "      ^   for instance \"limit=80%\" or \"limit=4GiB\"");
  refused("limit=99999999999999999999", "the number is too great", "      ^^^^^^^^^^^^^^^^^^^^");
  refused("limit=99999999TiB", "the size is too great", "      ^^^^^^^^^^^");
  refused("max_split=16MiB", "blocks of up to 20 MiB are always split",
          "          ^^^^^   write at least 20MiB");
  refused("divisions=3", "divisions are 1, 2, 4, 8, 16, 32 or 64", "          ^");
  refused("divisions=128", "divisions are 1, 2, 4, 8, 16, 32 or 64", "          ^^^");
}

TEST_CASE("HOST-MEM-8 `memory` of the configuration wins over the environment") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_MEMORY", "limit=1", 1);
    collet_config_t config{};
    config.base = {COLLET_STRUCT_CONFIG, sizeof config, nullptr};
    config.memory = "limit=50%,pool=maybe";
    out << collet_configure(&config) << ' ' << opened(nullptr);
  });
  CHECK(child.output ==
        "0 COLLET_ERROR_MALFORMED: collet_configure: memory: \"maybe\" is none of \"on\", "
        "\"off\" and \"native\"\n"
        "    limit=50%,pool=maybe\n"
        "                   ^^^^^");
}

}  // namespace collet::test
