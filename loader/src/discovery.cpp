// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "elf_file.hpp"
#include "library.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libcollet_";
constexpr std::string_view kSuffix = ".so";
constexpr std::size_t kMaxNameLength = 48;

// Has an address inside libcollet.
constexpr char kAnchor = 0;

bool is_link(const fs::path& path) {
  std::error_code code;
  return fs::is_symlink(path, code);
}

Candidate inspect(const fs::path& path, std::string name, const std::string& origin) {
  Candidate candidate;
  candidate.name = std::move(name);
  candidate.path = path.string();
  candidate.origin = origin;
  if (!is_backend_name(candidate.name)) {
    candidate.fault = "no back end can be called " + in_quotes(candidate.name) +
                      ": names are [a-z][a-z0-9_]*, at most " + std::to_string(kMaxNameLength) +
                      " characters";
    candidate.hint = "rename the file, and build the plugin with that name";
    return candidate;
  }
  std::error_code code;
  const fs::path target = fs::canonical(path, code);
  if (code) {
    candidate.fault =
        is_link(path) && code == std::errc::no_such_file_or_directory
            ? "it is a link to " + fs::read_symlink(path, code).string() + ", which does not exist"
            : "it cannot be read: " + code.message();
    candidate.hint = "remove it, or install what it leads to";
    return candidate;
  }
  candidate.path = target.string();
  candidate.fault = elf_fault(candidate.path);
  if (candidate.fault.empty()) {
    candidate.phase = COLLET_BACKEND_PHASE_INSPECTED;
  } else {
    candidate.hint = "remove it, or install a build of the plugin for this machine";
  }
  return candidate;
}

// The candidates of one folder, sorted by name; files come before links, so that of several names
// for one file its own wins.
std::vector<Candidate> search(const fs::path& folder, const std::string& origin,
                              std::vector<std::string>& warnings) {
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  if (code) {
    warnings.push_back(origin + ": the folder " + in_quotes(folder.string()) +
                       " cannot be read: " + code.message());
    return {};
  }
  std::vector<fs::path> files;
  for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
    const std::string file = entries->path().filename().string();
    if (file.size() > kPrefix.size() + kSuffix.size() && file.starts_with(kPrefix) &&
        file.ends_with(kSuffix)) {
      files.push_back(entries->path());
    }
  }
  std::sort(files.begin(), files.end());
  std::stable_partition(files.begin(), files.end(),
                        [](const fs::path& file) { return !is_link(file); });
  std::vector<Candidate> candidates;
  for (const fs::path& path : files) {
    const std::string file = path.filename().string();
    candidates.push_back(inspect(
        path, file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()), origin));
  }
  return candidates;
}

// Adds a candidate: twice the same file under one name is one candidate, and of two files of one
// name, or two names for one file, the second one is unusable.
void add(std::vector<Candidate>& all, Candidate candidate) {
  for (const Candidate& other : all) {
    const bool same_file = other.path == candidate.path;
    if (same_file && other.name == candidate.name) {
      return;
    }
    if (!other.fault.empty() || !candidate.fault.empty()) {
      continue;
    }
    if (same_file) {
      candidate.fault = "it is the same file as the back end \"" + other.name + '"';
      candidate.hint = "remove one of the two names";
    } else if (other.name == candidate.name) {
      candidate.fault = "shadowed by " + other.path;
      candidate.hint = "remove the one that is not wanted";
    }
  }
  all.push_back(std::move(candidate));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
    end = text.find(':', start);
    parts.push_back(text.substr(start, end == std::string::npos ? end : end - start));
  }
  return parts;
}

// The folders of a path that can be asked for; the rest is a warning each.
std::vector<fs::path> folders_of(const PluginPath& path, std::vector<std::string>& warnings) {
  std::vector<fs::path> folders;
  for (const std::string& part : split(path.text)) {
    if (part.empty()) {
      warnings.push_back(path.origin +
                         ": an entry is empty, and the current directory is never "
                         "searched; write absolute folders, separated by ':'");
    } else if (!fs::path(part).is_absolute()) {
      warnings.push_back(path.origin + ": the entry " + in_quotes(part) +
                         " is relative, and is not searched; write an absolute folder");
    } else {
      folders.emplace_back(part);
    }
  }
  return folders;
}

void search_all(Discovery& result, const std::vector<fs::path>& folders,
                const std::string& origin) {
  for (const fs::path& folder : folders) {
    result.folders.push_back(folder.string());
    for (Candidate& candidate : search(folder, origin, result.warnings)) {
      add(result.candidates, std::move(candidate));
    }
  }
  std::stable_sort(result.candidates.begin(), result.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.name < b.name; });
}

}  // namespace

bool is_backend_name(std::string_view text) noexcept {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto allowed = [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= kMaxNameLength && lower(text.front()) &&
         std::all_of(text.begin(), text.end(), allowed);
}

Discovery discover(const std::optional<PluginPath>& path) {
  Discovery result;
  if (path) {
    search_all(result, folders_of(*path, result.warnings), path->origin);
    return result;
  }
  const std::string own_folder = folder_of_address(&kAnchor);
  if (own_folder.empty()) {
    result.warnings.emplace_back(
        "the folder of libcollet is not known, so that no back end is found; set "
        "COLLET_PLUGIN_PATH");
    return result;
  }
  search_all(result, {fs::path(own_folder) / "collet"}, "beside libcollet");
  return result;
}

}  // namespace collet::loader
