// SPDX-License-Identifier: Apache-2.0
// Programs that were built from sources, kept from one process to the next.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache_folder.hpp"

namespace collet::loader {

struct CacheSettings;

// What a build has made.
struct BuiltProgram {
  // A binary format of the plugin.
  std::string format;
  std::string image;
  // What the compiler said.
  std::string log;
};

// The bytes of an entry, and what they say about `key`: nothing if they are about something else.
std::string program_entry(std::string_view key, const BuiltProgram& program);
std::optional<BuiltProgram> parse_program_entry(std::string_view bytes, std::string_view key);

// A key is all that a build depends on, the source included. It is part of its entry and compared
// byte for byte, so that no two keys are ever taken for one.
class ProgramCache {
 public:
  // Keeps nothing.
  ProgramCache() = default;
  explicit ProgramCache(const CacheSettings& settings);
  // That of the process, by its environment.
  static const ProgramCache& instance();

  [[nodiscard]] bool is_on() const noexcept { return !folder_.path().empty(); }
  [[nodiscard]] std::optional<BuiltProgram> find(std::string_view key) const noexcept;
  void store(std::string_view key, const BuiltProgram& program) const noexcept;
  void forget(std::string_view key) const noexcept { folder_.remove(key); }

  [[nodiscard]] const CacheFolder& folder() const noexcept { return folder_; }

 private:
  CacheFolder folder_;
};

}  // namespace collet::loader
