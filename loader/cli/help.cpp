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
  doctor       look for what is wrong, and say what to do about it
                 $ collet doctor
  explain      say what a status means, and what to do about it
                 $ collet explain NO_SUCH_DEVICE
  bench        compare the devices by their speed
                 $ collet bench matmul --size 1024
  memory       show what a program did with memory
                 $ COLLET_MEMORY_HISTORY=run.history ./program
                 $ collet memory show run.history --html run.html
  cache        show what is kept of built programs, or clear it
                 $ collet cache
                 $ collet cache clear
  --version    show the version of the library and of its ABI
  --help       show this; `collet <command> --help` shows more on a command

environment:
)" + variables_text() +
         R"(
exit status: 0; 1 where something needs doing; 2 where the command or the
selection of a device is wrong
)";
}

std::string devices_help_text() {
  return R"(usage: collet devices [--explain] [--json]

Loads every back end and shows its devices, and in the last line the device that
programs get, and why. A back end that cannot be used is a row with the reason.
Where COLLET_VISIBLE_DEVICES is set, a second table says which device of its
plugin each one is.

  --explain  also what is known of each candidate for a back end: its file, who
             found it, how far it got, and what to do about it
  --json     everything that is known, for programs

  $ collet devices
  $ COLLET_DEVICE=cpu collet devices
  $ collet devices --json | python3 -m json.tool
)";
}

std::string doctor_help_text() {
  return R"(usage: collet doctor [--json]

Looks at everything that decides whether programs find their device: versions,
each candidate for a back end with its verdict, the devices and which device of
its plugin each one is, and what the environment variables did. The last lines
say what to do, if anything. Made to be pasted into a report.

  --json    the same, for programs

exit status: 0 where nothing needs doing, 1 where something does
)";
}

std::string explain_help_text() {
  return R"(usage: collet explain [<status>] [--json]

Says what a status of the C API means, and what to do about it. Without one, lists
them all. A status is written as COLLET_ERROR_OVERLAP, OVERLAP, overlap or -6.

  --json    the same, for programs

  $ collet explain NO_SUCH_DEVICE
)";
}

std::string bench_help_text() {
  return R"(usage: collet bench matmul [--device <selector>]... [--size <n>]... [--json]

Times products of two f32 matrices of n x n. Each device is warmed up first, and
synchronized around each measurement; the figures are medians. What it costs to
copy the operands to the device and the result back stands beside them. A device
that cannot multiply says why in its row.

  --device <selector>  as in COLLET_DEVICE; may be repeated; default: all devices
  --size <n>           1 to 16384; may be repeated; default: 256 and 1024
  --json               the same, for programs, in seconds

  $ collet bench matmul --device cpu --size 512 --size 2048
)";
}

std::string cache_help_text() {
  return R"(usage: collet cache [--json]
       collet cache clear

Shows where programs are kept that were built from sources, how many there are,
and how much they take of what they may. `clear` removes them all; they are built
again when they are needed. COLLET_CACHE_SIZE sets the limit, and 0 keeps none.

  --json    the same, for programs
)";
}

std::string memory_help_text() {
  return R"(usage: collet memory show <file> [--html <page>]

Shows a history of memory: for each pool the most that was allocated, reserved,
and waiting for streams, who had it then, and what was not released at the end;
by tag, and by caller where the history has stacks. A program records one where
COLLET_MEMORY_HISTORY names the file for it.

  --html <page>  writes a page for a browser in place of that: memory over time by
                 tag, where each buffer lay, and who allocated it

  $ COLLET_MEMORY_HISTORY=run.history ./program
  $ collet memory show run.history
  $ collet memory show run.history --html run.html
)";
}

}  // namespace collet::cli
