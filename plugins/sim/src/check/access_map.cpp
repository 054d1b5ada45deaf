// SPDX-License-Identifier: Apache-2.0
#include "access_map.hpp"

#include <algorithm>
#include <iterator>

namespace collet::sim {
namespace {

bool is_before(const Operation& operation, const VectorClock& clock) noexcept {
  return clock.at(operation.slot) >= operation.count;
}

void add(std::vector<Conflict>& out, const std::shared_ptr<const Operation>& other, bool writes,
         ByteRange range) {
  const bool is_known = std::any_of(out.begin(), out.end(),
                                    [&](const Conflict& found) { return found.other == other; });
  if (!is_known) out.push_back({other, writes, range});
}

}  // namespace

AccessMap::Place AccessMap::split(std::uintptr_t address) {
  auto place = bytes_.upper_bound(address);
  if (place == bytes_.begin()) return place;
  const auto lower = std::prev(place);
  if (lower->first == address) return lower;
  if (lower->second.end <= address) return place;
  Bytes upper = lower->second;
  lower->second.end = address;
  return bytes_.emplace_hint(place, address, std::move(upper));
}

void AccessMap::collect(const Place& place, bool is_write, const VectorClock& before,
                        std::vector<Conflict>& out) {
  const ByteRange range{place->first, place->second.end};
  const auto& write = place->second.write;
  if (write != nullptr && !is_before(*write, before)) add(out, write, true, range);
  if (!is_write) return;
  for (const auto& read : place->second.reads) {
    if (!is_before(*read, before)) add(out, read, false, range);
  }
}

void AccessMap::read(ByteRange range, const std::shared_ptr<const Operation>& by,
                     const VectorClock& before, std::vector<Conflict>& out) {
  split(range.end);
  auto place = split(range.begin);
  std::uintptr_t at = range.begin;
  while (at < range.end) {
    if (place == bytes_.end() || place->first > at) {
      const std::uintptr_t end =
          place == bytes_.end() ? range.end : std::min(range.end, place->first);
      place = bytes_.emplace_hint(place, at, Bytes{end, nullptr, {}});
    }
    collect(place, false, before, out);
    auto& reads = place->second.reads;
    std::erase_if(reads, [&](const auto& read) { return is_before(*read, before); });
    reads.push_back(by);
    at = place->second.end;
    ++place;
  }
}

void AccessMap::write(ByteRange range, const std::shared_ptr<const Operation>& by,
                      const VectorClock& before, std::vector<Conflict>& out) {
  split(range.end);
  auto place = split(range.begin);
  while (place != bytes_.end() && place->first < range.end) {
    collect(place, true, before, out);
    place = bytes_.erase(place);
  }
  bytes_.emplace_hint(place, range.begin, Bytes{range.end, by, {}});
}

void AccessMap::erase(ByteRange range, const VectorClock& before, std::vector<Conflict>& out) {
  split(range.end);
  auto place = split(range.begin);
  while (place != bytes_.end() && place->first < range.end) {
    collect(place, true, before, out);
    place = bytes_.erase(place);
  }
}

}  // namespace collet::sim
