// SPDX-License-Identifier: Apache-2.0
// Finds the files that may hold back ends. Loads none of them.
#pragma once

#include <collet/device.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend_name.hpp"
#include "elf_file.hpp"
#include "plugin_folders.hpp"

namespace collet::loader {

// A file that is named like a plugin, or that a manifest names.
struct Candidate {
  // The <name> of libcollet_<name>.so, or that of the manifest.
  std::string name;
  // Absolute. With links resolved, unless the file is not there.
  std::string path;
  // The rule that found it, such as "COLLET_PLUGIN_PATH", and the manifest if there is one.
  std::string origin;
  // Options that count where the environment does not set them.
  std::map<std::string, std::string> settings;
  FileIdentity identity;
  std::string build_id;
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

// Searches the folders of the path; without one, the default folders.
Discovery discover(const std::optional<PluginPath>& path);

}  // namespace collet::loader
