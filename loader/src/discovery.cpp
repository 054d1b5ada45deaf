// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "manifest.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libcollet_";
constexpr std::string_view kSuffix = ".so";
constexpr std::string_view kManifestSuffix = ".collet.json";

bool is_link(const fs::path& path) {
  std::error_code code;
  return fs::is_symlink(path, code);
}

bool is_manifest(const std::string& file) {
  return file.size() > kManifestSuffix.size() && file.ends_with(kManifestSuffix);
}

bool is_library(const std::string& file) {
  return file.size() > kPrefix.size() + kSuffix.size() && file.starts_with(kPrefix) &&
         file.ends_with(kSuffix);
}

// Resolves the path and looks into the file.
void inspect(Candidate& candidate) {
  std::error_code code;
  const fs::path path = candidate.path;
  const fs::path target = fs::canonical(path, code);
  if (code) {
    candidate.fault =
        is_link(path) && code == std::errc::no_such_file_or_directory
            ? "it is a link to " + fs::read_symlink(path, code).string() + ", which does not exist"
            : "it cannot be read: " + code.message();
    candidate.hint = "remove it, or install what it leads to";
    return;
  }
  candidate.path = target.string();
  ElfFile file = read_elf_file(candidate.path);
  candidate.identity = file.identity;
  candidate.build_id = std::move(file.build_id);
  candidate.fault = std::move(file.fault);
  candidate.hint = std::move(file.hint);
  candidate.status = file.status;
  if (candidate.fault.empty()) {
    candidate.phase = COLLET_BACKEND_PHASE_INSPECTED;
  }
}

Candidate from_library(const fs::path& path, const std::string& origin) {
  const std::string file = path.filename().string();
  Candidate candidate;
  candidate.name = file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
  candidate.path = path.string();
  candidate.origin = origin;
  if (!is_backend_name(candidate.name)) {
    candidate.fault = "no back end can be called " + in_quotes(candidate.name) +
                      ": names are [a-z][a-z0-9_]*, at most " + std::to_string(kMaxBackendName) +
                      " characters";
    candidate.hint = "rename the file, and build the plugin with that name";
    return candidate;
  }
  inspect(candidate);
  return candidate;
}

Candidate from_manifest(const fs::path& path, const std::string& origin) {
  Manifest manifest = read_manifest(path.string());
  Candidate candidate;
  const std::string file = path.filename().string();
  candidate.name =
      manifest.name.empty() ? file.substr(0, file.size() - kManifestSuffix.size()) : manifest.name;
  candidate.settings = std::move(manifest.settings);
  candidate.origin = origin + ", " + path.string();
  if (!manifest.fault.empty()) {
    candidate.path = path.string();
    candidate.fault = std::move(manifest.fault);
    candidate.hint = std::move(manifest.hint);
    candidate.status = manifest.other_abi ? COLLET_ERROR_INCOMPATIBLE : COLLET_ERROR_UNAVAILABLE;
    return candidate;
  }
  // An absolute library stays as it is.
  candidate.path = (path.parent_path() / manifest.library).lexically_normal().string();
  inspect(candidate);
  return candidate;
}

// The candidates of one folder: manifests first, since they tell more of a library beside them,
// then files before links, so that of several names for one file its own wins; each sorted by name.
std::vector<Candidate> search(const PluginFolder& folder, Discovery& result) {
  std::error_code code;
  fs::directory_iterator entries(folder.path, code);
  if (code) {
    if (!folder.optional || code != std::errc::no_such_file_or_directory) {
      result.warnings.push_back(folder.origin + ": the folder " + in_quotes(folder.path) +
                                " cannot be read: " + code.message());
    }
    return {};
  }
  std::vector<fs::path> files;
  for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
    const std::string file = entries->path().filename().string();
    if (is_library(file) || is_manifest(file)) {
      files.push_back(entries->path());
    }
  }
  const auto rank = [](const fs::path& file) {
    return is_manifest(file.filename().string()) ? 0 : is_link(file) ? 2 : 1;
  };
  std::sort(files.begin(), files.end());
  std::stable_sort(files.begin(), files.end(),
                   [&](const fs::path& a, const fs::path& b) { return rank(a) < rank(b); });
  std::vector<Candidate> candidates;
  candidates.reserve(files.size());
  for (const fs::path& path : files) {
    candidates.push_back(is_manifest(path.filename().string()) ? from_manifest(path, folder.origin)
                                                               : from_library(path, folder.origin));
  }
  return candidates;
}

bool same_file(const Candidate& a, const Candidate& b) {
  return a.path == b.path || (a.identity.inode != 0 && a.identity == b.identity);
}

// Adds a candidate: one file under one name is one candidate, however often it is found. Of two
// names for one file, two copies of one library, or two files of one name, the second is unusable.
void add(std::vector<Candidate>& all, Candidate candidate) {
  for (const Candidate& other : all) {
    const bool same = same_file(other, candidate);
    if (same && other.name == candidate.name) {
      return;
    }
    if (!other.fault.empty() || !candidate.fault.empty()) {
      continue;
    }
    if (same) {
      candidate.fault = "it is the same file as the back end \"" + other.name + '"';
      candidate.hint = "remove one of the two names";
    } else if (!candidate.build_id.empty() && candidate.build_id == other.build_id) {
      candidate.fault = "it is a copy of " + other.path + " (both have build id " +
                        candidate.build_id.substr(0, 12) + ")";
      candidate.hint = "remove one of the two";
    } else if (other.name == candidate.name) {
      candidate.fault = "shadowed by " + other.path;
      candidate.hint = "remove the one that is not wanted";
    }
  }
  all.push_back(std::move(candidate));
}

}  // namespace

Discovery discover(const std::optional<PluginPath>& path) {
  PluginFolders places = plugin_folders(path);
  Discovery result;
  result.warnings = std::move(places.warnings);
  for (const PluginFolder& folder : places.folders) {
    std::vector<Candidate> found = search(folder, result);
    result.folders.push_back(folder.path);
    for (Candidate& candidate : found) {
      add(result.candidates, std::move(candidate));
    }
  }
  std::stable_sort(result.candidates.begin(), result.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.name < b.name; });
  return result;
}

}  // namespace collet::loader
