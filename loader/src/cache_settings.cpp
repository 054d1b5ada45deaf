// SPDX-License-Identifier: Apache-2.0
#include "cache_settings.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include "environment.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

constexpr std::uint64_t kUsualBytes = std::uint64_t{256} << 20;

std::optional<std::uint64_t> parse_size(std::string_view text) {
  struct Unit {
    std::string_view name;
    unsigned shift;
  };
  constexpr Unit kUnits[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  std::uint64_t count = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  for (const Unit& known : kUnits) {
    if (fault == std::errc() && unit == known.name && count <= UINT64_MAX >> known.shift) {
      return count << known.shift;
    }
  }
  return std::nullopt;
}

void find_root(CacheSettings& settings) {
  if (const std::optional<std::string> folder = variable("COLLET_CACHE_DIR")) {
    if (folder->starts_with('/')) {
      settings.root = *folder;
    } else {
      settings.warning = "COLLET_CACHE_DIR: " + in_quotes(*folder) +
                         " is no absolute folder, so that nothing is remembered";
    }
    return;
  }
  // Its specification wants relative values ignored.
  if (const std::string cache = variable("XDG_CACHE_HOME").value_or(""); cache.starts_with('/')) {
    settings.root = cache + "/collet";
    return;
  }
  if (const std::string home = variable("HOME").value_or(""); home.starts_with('/')) {
    settings.root = home + "/.cache/collet";
  }
}

}  // namespace

CacheSettings cache_settings() {
  CacheSettings settings;
  find_root(settings);
  settings.program_bytes = kUsualBytes;
  if (const std::optional<std::string> text = variable("COLLET_CACHE_SIZE")) {
    if (const std::optional<std::uint64_t> size = parse_size(*text)) {
      settings.program_bytes = *size;
    } else if (settings.warning.empty()) {
      settings.warning = "COLLET_CACHE_SIZE: " + in_quotes(*text) +
                         " is no size such as 256MiB, so that the limit stays that";
    }
  }
  return settings;
}

}  // namespace collet::loader
