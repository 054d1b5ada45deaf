// SPDX-License-Identifier: Apache-2.0
#include "layers/device_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <utility>

#include "support/catch.hpp"

namespace collet::test {
namespace {

// What is a matter of the host alone. Validate finds it on a simulated device too.
struct Unseen {
  const char* kind;
  const char* reason;
};
constexpr Unseen kUnseen[] = {
    {"released in use",
     "a release is no command: the device sees the next use of the bytes (sim_check_test has it)"},
    {"source changed", "the host changes memory of its own, by itself"},
    {"never written", "commands that read whatever is there are in order"},
};

// Kind and stream of each command that is named.
using Commands = std::multiset<std::pair<std::string, std::string>>;

Commands commands_of(const std::string& text, const std::regex& command) {
  Commands named;
  for (std::sregex_iterator found(text.begin(), text.end(), command), end; found != end; ++found) {
    named.emplace((*found)[1], (*found)[2]);
  }
  return named;
}

// fill (command 1 of stream 2 "second", ...
Commands said_by_validate(const std::string& text) {
  static const std::regex kCommand(
      R"re((copy of a rectangle|launch of \w+|\w+) \(command \d+ of stream \d+ "(\w+)")re");
  Commands named;
  for (auto [kind, stream] : commands_of(text, kCommand)) {
    if (kind == "copy of a rectangle") {
      kind = "copy_rect";
    } else if (kind.rfind("launch of ", 0) == 0) {
      kind.erase(6, 3);
    }
    named.emplace(kind, stream);
  }
  return named;
}

// fill (command 1 of stream "second" of sim:0, ...
Commands said_by_device(const std::string& text) {
  static const std::regex kCommand(
      R"re((launch \w+|\w+) \(command \d+ of stream "(\w+)" of sim:0)re");
  return commands_of(text, kCommand);
}

}  // namespace

bool is_device_checking() { return std::getenv("COLLET_SIM_CHECK") != nullptr; }

bool is_of_device(const std::string& line) {
  return line.find("COLLET_SIM_CHECK: ") != std::string::npos;
}

bool device_names_both(const std::string& kind, const std::string& said,
                       const std::vector<std::string>& device_lines) {
  const auto is_it = [&](const Unseen& unseen) { return kind == unseen.kind; };
  const auto* const unseen = std::find_if(std::begin(kUnseen), std::end(kUnseen), is_it);
  if (unseen != std::end(kUnseen)) {
    UNSCOPED_INFO("not for the device to see: " << unseen->reason);
    return true;
  }
  const Commands wanted = said_by_validate(said);
  for (const std::string& line : device_lines) {
    UNSCOPED_INFO("the device says: " << line);
    if (wanted.size() == 2 && said_by_device(line) == wanted) {
      return true;
    }
  }
  UNSCOPED_INFO("the device does not name the two commands");
  return false;
}

}  // namespace collet::test
