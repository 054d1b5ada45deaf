// SPDX-License-Identifier: Apache-2.0
#include "plugin_folders.hpp"

#include <filesystem>

#include "environment.hpp"
#include "library.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemFolders[] = {
    "/etc/collet/plugins",
    "/usr/local/lib/collet",
    "/usr/lib/collet",
};

// Has an address inside libcollet.
constexpr char kAnchor = 0;

// $XDG_DATA_HOME/collet/plugins; the specification wants relative values ignored.
std::string user_folder() {
  const std::string data = variable("XDG_DATA_HOME").value_or("");
  if (data.starts_with('/')) {
    return data + "/collet/plugins";
  }
  const std::string home = variable("HOME").value_or("");
  return home.starts_with('/') ? home + "/.local/share/collet/plugins" : std::string();
}

void append(PluginFolders& all, PluginFolders&& more) {
  for (PluginFolder& folder : more.folders) {
    all.folders.push_back(std::move(folder));
  }
  for (std::string& warning : more.warnings) {
    all.warnings.push_back(std::move(warning));
  }
}

}  // namespace

PluginFolders default_folders() {
  PluginFolders all;
  if (std::string user = user_folder(); !user.empty()) {
    all.folders.push_back({std::move(user), "the user's folder", true});
  }
  for (const char* folder : kSystemFolders) {
    all.folders.push_back({folder, "a system folder", true});
  }
  const std::string own_folder = folder_of_address(&kAnchor);
  if (own_folder.empty()) {
    all.warnings.emplace_back(
        "the folder of libcollet is not known, so that the plugins beside it are not found; set "
        "COLLET_PLUGIN_PATH");
  } else {
    all.folders.push_back({own_folder + "/collet", "beside libcollet"});
  }
  return all;
}

PluginFolders plugin_folders(const std::optional<PluginPath>& path) {
  if (!path) {
    return default_folders();
  }
  PluginFolders all;
  for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
    end = path->text.find(':', start);
    const std::string entry =
        path->text.substr(start, end == std::string::npos ? end : end - start);
    if (entry == "+") {
      append(all, default_folders());
    } else if (entry.empty()) {
      all.warnings.push_back(path->origin +
                             ": an entry is empty, and the current directory is never "
                             "searched; write absolute folders, separated by ':'");
    } else if (!fs::path(entry).is_absolute()) {
      all.warnings.push_back(path->origin + ": the entry " + in_quotes(entry) +
                             " is relative, and is not searched; write an absolute folder");
    } else {
      all.folders.push_back({entry, path->origin});
    }
  }
  return all;
}

}  // namespace collet::loader
