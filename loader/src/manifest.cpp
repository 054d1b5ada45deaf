// SPDX-License-Identifier: Apache-2.0
// The only file of the library that knows nlohmann-json.
#include "manifest.hpp"

#include <collet/base.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "discovery.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{64} << 10;
constexpr int kMaxDepth = 8;

const std::vector<std::string> kKeys = {"name", "library", "abi_versions", "settings"};

// Leaves parse_manifest(); caught there.
struct Fault {
  std::string text;
  std::string hint;
};

[[noreturn]] void refuse(std::string text, std::string hint) {
  throw Fault{std::move(text), std::move(hint)};
}

std::string line_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  return "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
}

// What a person sees at once, and a parser would only call an unexpected byte.
void check_bytes(std::string_view text) {
  if (text.empty()) {
    refuse("the manifest is empty", "write it anew, or remove it");
  }
  if (text.size() > kMaxBytes) {
    refuse("the manifest has more than " + std::to_string(kMaxBytes >> 10) + " KiB",
           "is it another file under this name?");
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    refuse("the manifest is in UTF-16", "write it in UTF-8");
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    refuse("the manifest has a NUL byte in " + line_of(text, nul), "write it in UTF-8, as text");
  }
}

Json parse(std::string_view text) {
  bool too_deep = false;
  const auto limit = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kMaxDepth) {
      too_deep = true;
    }
    // What is left out needs no memory, however deep it is.
    return depth <= kMaxDepth;
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), limit);
    if (too_deep) {
      refuse("the manifest is nested more than " + std::to_string(kMaxDepth) + " levels deep",
             "the manifest of a plugin has two");
    }
    if (!json.is_object()) {
      refuse("the manifest is no JSON object", "write {\"name\": ..., \"library\": ...}");
    }
    return json;
  } catch (const Json::parse_error& error) {
    refuse("the manifest is not JSON: the fault is in " + line_of(text, error.byte - 1),
           "compare it with the example in README.md");
  } catch (const Json::exception&) {
    // A number that no type holds.
    refuse("the manifest is not JSON that can be read", "compare it with the example in README.md");
  }
}

void check_keys(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    if (key.starts_with("x-") || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) {
      continue;
    }
    const std::string near = nearest(key, kKeys);
    refuse("the manifest has a key " + in_quotes(key) + ", which is not known",
           near.empty() ? "keys of your own begin with \"x-\"" : "did you mean \"" + near + "\"?");
  }
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) {
    refuse("the manifest has no key \"" + std::string(key) + "\"", "add it");
  }
  if (!found->is_string() || found->get_ref<const std::string&>().empty() ||
      found->get_ref<const std::string&>().find('\0') != std::string::npos) {
    refuse("\"" + std::string(key) + "\" of the manifest is no text", "write it between quotes");
  }
  return found->get<std::string>();
}

void read_abi_versions(const Json& json, Manifest& manifest) {
  const auto found = json.find("abi_versions");
  if (found == json.end()) {
    return;
  }
  if (!found->is_array() || !std::all_of(found->begin(), found->end(),
                                         [](const Json& v) { return v.is_number_unsigned(); })) {
    refuse("\"abi_versions\" of the manifest is no list of numbers", "write [1]");
  }
  if (std::find(found->begin(), found->end(), Json(COLLET_ABI_MAJOR)) == found->end()) {
    manifest.other_abi = true;
    refuse("its manifest does not name ABI " + std::to_string(COLLET_ABI_MAJOR) +
               ", which this library has, in \"abi_versions\"",
           "install a build of the plugin for ABI " + std::to_string(COLLET_ABI_MAJOR));
  }
}

void read_settings(const Json& json, Manifest& manifest) {
  const auto found = json.find("settings");
  if (found == json.end()) {
    return;
  }
  if (!found->is_object()) {
    refuse("\"settings\" of the manifest is no object", "write {\"option\": \"value\"}");
  }
  for (const auto& [option, value] : found->items()) {
    if (!is_backend_name(option)) {
      refuse(
          "\"settings\" of the manifest has " + in_quotes(option) + ", which is no option's name",
          "names are [a-z][a-z0-9_]*");
    }
    if (!value.is_string() || value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      refuse("the setting \"" + option + "\" of the manifest is no text",
             "write it between quotes, as it would stand in the environment");
    }
    manifest.settings[option] = value.get<std::string>();
  }
}

void read_all(std::string_view text, Manifest& manifest) {
  check_bytes(text);
  const Json json = parse(text);
  check_keys(json);
  const std::string name = text_of(json, "name");
  if (!is_backend_name(name)) {
    refuse("no back end can be called " + in_quotes(name) + ", as the manifest says",
           "names are [a-z][a-z0-9_]*, at most 48 characters");
  }
  manifest.name = name;
  manifest.library = text_of(json, "library");
  read_abi_versions(json, manifest);
  read_settings(json, manifest);
}

// The file's text, one byte longer than what is taken if it is too large. Throws Fault.
std::string read_file(const std::string& path) {
  const std::string hint = "remove it, or write it anew";
  // A FIFO would wait for its writer without O_NONBLOCK.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    refuse(std::string("the manifest cannot be read: ") + std::strerror(errno), hint);
  }
  struct stat status {};
  std::string text(kMaxBytes + 1, '\0');
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t size = regular ? read(file, text.data(), text.size()) : 0;
  close(file);
  if (!regular) {
    refuse("the manifest is not a regular file", hint);
  }
  if (size < 0) {
    refuse("the manifest cannot be read", hint);
  }
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

Manifest parse_manifest(std::string_view text) {
  Manifest manifest;
  try {
    read_all(text, manifest);
  } catch (const Fault& fault) {
    manifest.fault = fault.text;
    manifest.hint = fault.hint;
  }
  return manifest;
}

Manifest read_manifest(const std::string& path) {
  try {
    return parse_manifest(read_file(path));
  } catch (const Fault& fault) {
    Manifest manifest;
    manifest.fault = fault.text;
    manifest.hint = fault.hint;
    return manifest;
  }
}

}  // namespace collet::loader
