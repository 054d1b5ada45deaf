// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace collet::loader {
namespace {

constexpr KnownVariable kKnownVariables[] = {
    {"COLLET_DEVICE",
     "the device that programs use: a list such as cuda:1,cpu, of which the first usable item "
     "wins; unset means auto"},
    {"COLLET_VISIBLE_DEVICES",
     "which devices exist for the process, and in which order, such as cuda:2,3;opencl:0;cpu:*; "
     "indices, ranges (0-3), PCI addresses or uuids; unset means all, and empty none"},
    {"COLLET_PLUGIN_PATH",
     "where back ends are looked for: absolute folders separated by ':', in place of the default "
     "ones; the entry + stands for those"},
    {"COLLET_PLUGINS",
     "the back ends that may be used, by name, such as cpu,cuda; unset means all"},
    {"COLLET_PROBE",
     "off: plugins are loaded without being tried in a process of their own; or the deadline for "
     "that, such as 30s"},
    {"COLLET_CACHE_DIR",
     "the folder where what is known of plugins, and programs that were built, are kept, in place "
     "of "
     "~/.cache/collet"},
    {"COLLET_CACHE_SIZE",
     "how much built programs may take on the disk, such as 1GiB; 0: none are kept; unset means "
     "256MiB"},
    {"COLLET_HOST_CXX",
     "the C++ compiler for kernels that run on the host, by absolute path or by its name on PATH; "
     "unset means c++, g++ or clang++",
     true},
    {"COLLET_MEMORY",
     "how memory is pooled: limit=80% or limit=4GiB of a device, max_split=64MiB, divisions=4, "
     "pool=off or pool=native"},
    {"COLLET_SYNC",
     "warn or error: each call that waits for a device without being asked to is logged with its "
     "place, or refused"},
    {"COLLET_LAUNCH_BLOCKING",
     "1: each copy, fill, launch and run is waited for, so that the call that made a failing one "
     "returns its failure"},
    {"COLLET_LAYERS",
     "layers between the program and the plugins: validate finds hazards, such as missing order "
     "between streams, and names both operations"},
    {"COLLET_MEMORY_HISTORY",
     "a file for the history of memory, saved when the process exits; a %p in its name is the "
     "number of the process; `collet memory show` tells what is in it"},
    {"COLLET_LOG",
     "what is logged, and where: off, error, warn (the default), info, debug or trace, and "
     "optionally :file in place of stderr"},
    {"COLLET_<BACKEND>_<OPTION>", "an option of one back end, such as COLLET_CPU_THREADS=2"},
};

}  // namespace

std::span<const KnownVariable> known_variables() noexcept { return kKnownVariables; }

std::optional<std::string> variable(const char* name) {
  const char* value = secure_getenv(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> variable_names() {
  std::vector<std::string> names;
  if (getauxval(AT_SECURE) != 0) {
    return names;
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace collet::loader
