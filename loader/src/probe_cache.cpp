// SPDX-License-Identifier: Apache-2.0
#include "probe_cache.hpp"

#include <utility>

#include "byte_stream.hpp"

namespace collet::loader {
namespace {

constexpr std::string_view kMagic = "collet probe 1\n";
constexpr CacheLimits kLimits{.entry_bytes = std::size_t{1} << 20, .entries = 256};

constexpr std::uint8_t kUsable = 0;
constexpr std::uint8_t kRefused = 1;

}  // namespace

std::string cache_entry(std::string_view key, const Remembered& remembered) {
  ByteWriter content;
  content.put_text(key);
  if (const auto* facts = std::get_if<PluginFacts>(&remembered)) {
    content.put(kUsable);
    write_facts(content, *facts);
  } else {
    content.put(kRefused);
    write_error(content, std::get<Error>(remembered));
  }
  return sealed(content.bytes());
}

std::string sealed(std::string_view content) { return sealed(kMagic, content); }

std::optional<Remembered> parse_cache_entry(std::string_view bytes, std::string_view key) {
  const std::optional<std::string_view> content = unsealed(kMagic, bytes);
  if (!content) {
    return std::nullopt;
  }
  try {
    ByteReader rest(*content);
    if (rest.get_text() != key) {
      return std::nullopt;
    }
    Remembered remembered;
    if (rest.get<std::uint8_t>() == kUsable) {
      remembered = read_facts(rest);
    } else {
      remembered = read_error(rest);
    }
    return rest.size() == 0 ? std::optional<Remembered>(std::move(remembered)) : std::nullopt;
  } catch (const BadBytes&) {
    return std::nullopt;
  }
}

ProbeCache::ProbeCache(std::string folder) : folder_(std::move(folder), ".probe", kLimits) {}

std::optional<Remembered> ProbeCache::find(const CacheKey& key) const noexcept {
  try {
    const std::optional<std::string> bytes = folder_.read(key.place);
    return bytes ? parse_cache_entry(*bytes, key.text) : std::nullopt;
  } catch (...) {
    // Out of memory: as if it were not remembered.
    return std::nullopt;
  }
}

void ProbeCache::store(const CacheKey& key, const Remembered& remembered) const noexcept {
  try {
    folder_.write(key.place, cache_entry(key.text, remembered));
  } catch (...) {
    // Out of memory: the next process probes again.
    return;
  }
}

void ProbeCache::forget(const CacheKey& key) const noexcept { folder_.remove(key.place); }

}  // namespace collet::loader
