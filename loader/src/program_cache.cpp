// SPDX-License-Identifier: Apache-2.0
#include "program_cache.hpp"

#include "byte_stream.hpp"
#include "cache_settings.hpp"

namespace collet::loader {
namespace {

constexpr std::string_view kMagic = "collet program 1\n";
constexpr std::size_t kMaxEntryBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxEntries = 65536;

CacheFolder folder_of(const CacheSettings& settings) {
  if (settings.root.empty() || settings.program_bytes == 0) {
    return {};
  }
  return {settings.root + "/programs",
          ".program",
          {kMaxEntryBytes, kMaxEntries, settings.program_bytes}};
}

}  // namespace

std::string program_entry(std::string_view key, const BuiltProgram& program) {
  ByteWriter content;
  content.put_text(key);
  content.put_text(program.format);
  content.put_text(program.image);
  content.put_text(program.log);
  return sealed(kMagic, content.bytes());
}

std::optional<BuiltProgram> parse_program_entry(std::string_view bytes, std::string_view key) {
  const std::optional<std::string_view> content = unsealed(kMagic, bytes);
  if (!content) {
    return std::nullopt;
  }
  try {
    ByteReader reader(*content);
    if (reader.get_text() != key) {
      return std::nullopt;
    }
    BuiltProgram program;
    program.format = reader.get_text();
    program.image = reader.get_text();
    program.log = reader.get_text();
    // The format is a text of C for the plugin.
    const bool is_whole = reader.size() == 0 && !program.format.empty() &&
                          program.format.find('\0') == std::string::npos;
    return is_whole ? std::optional(std::move(program)) : std::nullopt;
  } catch (const BadBytes&) {
    return std::nullopt;
  }
}

ProgramCache::ProgramCache(const CacheSettings& settings) : folder_(folder_of(settings)) {}

const ProgramCache& ProgramCache::instance() {
  // Never destroyed: programs may be built while the process ends.
  static const ProgramCache& cache = *new ProgramCache(cache_settings());
  return cache;
}

std::optional<BuiltProgram> ProgramCache::find(std::string_view key) const noexcept {
  try {
    const std::optional<std::string> bytes = folder_.read(key);
    return bytes ? parse_program_entry(*bytes, key) : std::nullopt;
  } catch (...) {
    // Out of memory: as if it were not there.
    return std::nullopt;
  }
}

void ProgramCache::store(std::string_view key, const BuiltProgram& program) const noexcept {
  try {
    folder_.write(key, program_entry(key, program));
  } catch (...) {
    // Out of memory: the next process builds again.
    return;
  }
}

}  // namespace collet::loader
