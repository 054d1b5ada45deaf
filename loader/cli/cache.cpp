// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"

#include <algorithm>

#include "bytes_text.hpp"
#include "cache_settings.hpp"
#include "program_cache.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

std::string programs_text(const loader::CacheUse& use) {
  return std::to_string(use.entries) + (use.entries == 1 ? " program, " : " programs, ") +
         loader::bytes_text(use.bytes);
}

}  // namespace

std::string cache_line() {
  const loader::CacheSettings settings = loader::cache_settings();
  const loader::ProgramCache cache(settings);
  if (!cache.is_on()) {
    return "programs that are built are not kept";
  }
  return clean(cache.folder().path()) + ": " + programs_text(cache.folder().use()) + " of " +
         loader::bytes_text(settings.program_bytes);
}

std::string cache_warning() { return loader::cache_settings().warning; }

Json cache_json() {
  const loader::CacheSettings settings = loader::cache_settings();
  const loader::ProgramCache cache(settings);
  const loader::CacheUse use = cache.folder().use();
  return {{"folder", cache.folder().path()},
          {"programs", use.entries},
          {"bytes", use.bytes},
          {"limit_bytes", cache.is_on() ? settings.program_bytes : 0}};
}

std::string clear_cache() {
  const loader::ProgramCache cache(loader::cache_settings());
  const loader::CacheUse use = cache.folder().use();
  cache.folder().clear();
  const loader::CacheUse left = cache.folder().use();
  // Another process may have kept some meanwhile.
  return "removed " + programs_text({use.entries - std::min(use.entries, left.entries),
                                     use.bytes - std::min(use.bytes, left.bytes)});
}

}  // namespace collet::cli
