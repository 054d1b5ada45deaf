// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <collet/base.h>

#include <algorithm>
#include <string_view>

#include "environment.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

constexpr std::size_t kWidth = 78;

std::string variables_text() {
  std::size_t column = 0;
  for (const loader::KnownVariable& variable : loader::known_variables()) {
    column = std::max(column, std::string_view(variable.name).size() + 4);
  }
  std::string text;
  for (const loader::KnownVariable& variable : loader::known_variables()) {
    std::string line = "  " + std::string(variable.name);
    line.append(column - line.size(), ' ');
    text += line + wrapped(variable.meaning, kWidth - column, column) + "\n";
  }
  return text;
}

}  // namespace

std::string version_text() {
  const std::uint32_t abi = collet_abi_version();
  return "collet " + std::string(collet_version()) + " (ABI " + std::to_string(abi >> 16) + "." +
         std::to_string(abi & 0xffff) + ")\n";
}

std::string help_text() {
  return R"(usage: collet <command> [<option>...]

Collet lets one program run on any compute device. A program is written against
libcollet; the back end for the device is a plugin, libcollet_<name>.so, which
is found and loaded when the program runs. COLLET_DEVICE says which one.

commands:
  devices      show all back ends and devices, and which one is the default
                 $ collet devices
                 $ COLLET_DEVICE=cpu:0 collet devices --json
  --version    show the version of the library and of its ABI
  --help       show this; `collet <command> --help` shows more on a command

environment:
)" + variables_text() +
         R"(
exit status: 0, or 2 where the command or the selection of a device is wrong
)";
}

std::string devices_help_text() {
  return R"(usage: collet devices [--json]

Loads every back end and shows its devices, and in the last line the device that
programs get, and why. A back end that cannot be used is a row with the reason.

  --json    everything that is known, for programs

  $ collet devices
  $ COLLET_DEVICE=cpu collet devices
  $ collet devices --json | python3 -m json.tool
)";
}

}  // namespace collet::cli
