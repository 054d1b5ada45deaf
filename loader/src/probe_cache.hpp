// SPDX-License-Identifier: Apache-2.0
// What probes have found out, remembered from one process to the next.
//
// An entry for each plugin, place and environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cache_folder.hpp"
#include "error.hpp"
#include "plugin_facts.hpp"

namespace collet::loader {

// What is worth remembering: a usable plugin, or one that can never fit this library. All other
// failures may be gone the next time, and are tried again.
using Remembered = std::variant<PluginFacts, Error>;

// The bytes of a file, made of a content and its checksum, and what they say about `key`: nothing
// if they are about something else.
std::string cache_entry(std::string_view key, const Remembered& remembered);
std::string sealed(std::string_view content);
std::optional<Remembered> parse_cache_entry(std::string_view bytes, std::string_view key);

// Everything that the answer depends on.
struct CacheKey {
  // Names the file: an entry for the same place and environment is replaced.
  std::string place;
  // Has to be the same, byte for byte.
  std::string text;
};

class ProbeCache {
 public:
  // Remembers nothing.
  ProbeCache() = default;
  // Remembers in a folder, which is made at the first write.
  explicit ProbeCache(std::string folder);

  [[nodiscard]] std::optional<Remembered> find(const CacheKey& key) const noexcept;
  void store(const CacheKey& key, const Remembered& remembered) const noexcept;
  void forget(const CacheKey& key) const noexcept;

  // Empty where nothing is remembered.
  [[nodiscard]] const std::string& folder() const noexcept { return folder_.path(); }

 private:
  CacheFolder folder_;
};

}  // namespace collet::loader
