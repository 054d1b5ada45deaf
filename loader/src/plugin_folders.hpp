// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace collet::loader {

// A list of folders, separated by ':', and where it was written. The entry "+" stands for the
// default folders.
struct PluginPath {
  std::string text;
  std::string origin;
};

struct PluginFolder {
  std::string path;
  // The rule that names it, such as "COLLET_PLUGIN_PATH".
  std::string origin;
  // Nobody has asked for it: that it does not exist is ordinary.
  bool optional = false;
};

struct PluginFolders {
  std::vector<PluginFolder> folders;
  // One sentence on each entry that is not searched.
  std::vector<std::string> warnings;
};

// The folders of the path; without one, the default folders.
PluginFolders plugin_folders(const std::optional<PluginPath>& path);

// In this order: the user's, the system's, and the one beside this library. Elevated processes
// have none of their user's.
PluginFolders default_folders();

}  // namespace collet::loader
