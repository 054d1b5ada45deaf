// SPDX-License-Identifier: Apache-2.0
#include "pinned_ranges.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace collet::loader {
namespace {

struct Range {
  std::uint64_t size_bytes;
  const Device* device;
  collet_plugin_memory_t* memory;
};

struct Ranges {
  std::shared_mutex mutex;
  // A multimap: one block may be registered for several devices.
  std::multimap<std::uintptr_t, Range> by_start;
};

// Never destroyed: buffers may be released by static destructors.
Ranges& ranges() {
  static Ranges& instance = *new Ranges;
  return instance;
}

}  // namespace

void add_pinned_range(const void* start, std::uint64_t size_bytes, const Device& device,
                      collet_plugin_memory_t* memory) {
  const std::unique_lock lock(ranges().mutex);
  ranges().by_start.emplace(reinterpret_cast<std::uintptr_t>(start),
                            Range{size_bytes, &device, memory});
}

void remove_pinned_range(const void* start, std::uint64_t size_bytes,
                         const Device& device) noexcept {
  const std::unique_lock lock(ranges().mutex);
  const auto [first, last] = ranges().by_start.equal_range(reinterpret_cast<std::uintptr_t>(start));
  for (auto entry = first; entry != last; ++entry) {
    if (entry->second.device == &device && entry->second.size_bytes == size_bytes) {
      ranges().by_start.erase(entry);
      return;
    }
  }
}

std::optional<PinnedPlace> find_pinned(const void* start, std::uint64_t size_bytes,
                                       const Device& device) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::shared_lock lock(ranges().mutex);
  auto entry = ranges().by_start.upper_bound(address);
  if (entry == ranges().by_start.begin()) {
    return std::nullopt;
  }
  // Only blocks with the nearest start are looked at. Where registered blocks overlap, an address
  // may count as pageable although it is pinned; the copy is then correct, but not asynchronous.
  const auto nearest = std::prev(entry)->first;
  for (entry = ranges().by_start.lower_bound(nearest);
       entry != ranges().by_start.end() && entry->first == nearest; ++entry) {
    const std::uint64_t inside = address - nearest;
    const Range& range = entry->second;
    if (range.device == &device && inside <= range.size_bytes &&
        size_bytes <= range.size_bytes - inside) {
      return PinnedPlace{range.memory, inside};
    }
  }
  return std::nullopt;
}

}  // namespace collet::loader
