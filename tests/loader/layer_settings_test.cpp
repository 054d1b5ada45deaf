// SPDX-License-Identifier: Apache-2.0
// COLLET_LAYERS and COLLET_LAUNCH_BLOCKING, seen by a host program.
#include <cstdlib>
#include <functional>
#include <ostream>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

// What opening the default device says where a variable has this value.
std::string opened_with(const char* variable, const char* value) {
  return with_plugins({"good"},
                      [&](std::ostream& out) {
                        setenv(variable, value, 1);
                        out << opened(nullptr);
                      })
      .output;
}

}  // namespace

TEST_CASE("HOST-LAY-1 what is well written is accepted") {
  CHECK(opened_with("COLLET_LAYERS", "validate") == "good:0");
  CHECK(opened_with("COLLET_LAYERS", "") == "good:0");
  CHECK(opened_with("COLLET_LAUNCH_BLOCKING", "0") == "good:0");
  CHECK(opened_with("COLLET_LAUNCH_BLOCKING", "1") == "good:0");
}

TEST_CASE("HOST-LAY-1 a fault has a caret under it, and says what is possible") {
  const auto refused = [](const char* variable, const char* value, const std::string& what,
                          const std::string& caret) {
    INFO(variable << "=" << value);
    CHECK(opened_with(variable, value) == "COLLET_ERROR_MALFORMED: " + std::string(variable) +
                                              ": " + what + "\n    " + value + "\n    " + caret);
  };
  refused("COLLET_LAYERS", "validat", "there is no layer \"validat\"",
          "^^^^^^^   did you mean \"validate\"?");
  refused("COLLET_LAYERS", "validate,shout", "there is no layer \"shout\"",
          "         ^^^^^   there is validate");
  refused("COLLET_LAYERS", "validate,", "the name of a layer is missing",
          "         ^   there is validate");
  refused("COLLET_LAYERS", "validate,validate", "\"validate\" is given twice",
          "         ^^^^^^^^   remove one of them");
  refused("COLLET_LAYERS", " validate", "there is no layer \" validate\"",
          "^^^^^^^^^   did you mean \"validate\"?");
  refused("COLLET_LAUNCH_BLOCKING", "yes", "\"yes\" is not understood", "^^^   write 0 or 1");
  refused("COLLET_LAUNCH_BLOCKING", "", "\"\" is not understood", "^   write 0 or 1");
}

}  // namespace collet::test
