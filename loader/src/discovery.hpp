// SPDX-License-Identifier: Apache-2.0
// Finds the files that may hold back ends. Loads none of them.
#pragma once

#include <collet/device.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collet::loader {

// A file that is named like a plugin.
struct Candidate {
  // The <name> of libcollet_<name>.so.
  std::string name;
  // Absolute. With links resolved, unless the file is not there.
  std::string path;
  // The rule that found it, such as "COLLET_PLUGIN_PATH".
  std::string origin;
  // Why it cannot be a back end, and what to do about it; empty if it may be one.
  std::string fault;
  std::string hint;
  collet_status_t status = COLLET_ERROR_UNAVAILABLE;
  collet_backend_phase_t phase = COLLET_BACKEND_PHASE_FOUND;
};

struct Discovery {
  // Sorted by name, then by the order of the folders.
  std::vector<Candidate> candidates;
  // One sentence on each folder that was asked for and cannot be searched.
  std::vector<std::string> warnings;
  // The folders that were searched, for messages.
  std::vector<std::string> folders;
};

// A list of folders, separated by ':', and where it was written.
struct PluginPath {
  std::string text;
  std::string origin;
};

// Searches the folders of the path; without one, the folder "collet" beside this library.
Discovery discover(const std::optional<PluginPath>& path);

// True for [a-z][a-z0-9_]* of at most 48 characters, so that an id such as "name:4294967295" fits
// in the properties.
bool is_backend_name(std::string_view text) noexcept;

}  // namespace collet::loader
