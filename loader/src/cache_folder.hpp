// SPDX-License-Identifier: Apache-2.0
// Entries that are kept from one process to the next.
//
// Files in a folder that only its owner can write to. What is damaged, or somebody else's, is as
// good as not there; nothing here ever fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace collet::loader {

// A content and its checksum; `magic` tells what kind of content it is.
std::string sealed(std::string_view magic, std::string_view content);
// The content, or nothing where it is damaged or of another kind.
std::optional<std::string_view> unsealed(std::string_view magic, std::string_view bytes) noexcept;

struct CacheLimits {
  std::size_t entry_bytes = 0;
  // Where there is more, what was not used for the longest time goes.
  std::size_t entries = 0;
  std::uint64_t bytes = UINT64_MAX;
};

struct CacheUse {
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
};

class CacheFolder {
 public:
  // Keeps nothing.
  CacheFolder() = default;
  // The folder is made at the first write. All its files end with the suffix, or have it inside.
  CacheFolder(std::string path, std::string suffix, CacheLimits limits)
      : path_(std::move(path)), suffix_(std::move(suffix)), limits_(limits) {}

  // Names of entries are made of a key; two keys may share one.
  [[nodiscard]] std::optional<std::string> read(std::string_view key) const noexcept;
  void write(std::string_view key, const std::string& bytes) const noexcept;
  void remove(std::string_view key) const noexcept;

  [[nodiscard]] CacheUse use() const noexcept;
  void clear() const noexcept;

  // Empty where nothing is kept.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  [[nodiscard]] std::string file_name(std::string_view key) const;

  std::string path_;
  std::string suffix_;
  CacheLimits limits_;
};

}  // namespace collet::loader
