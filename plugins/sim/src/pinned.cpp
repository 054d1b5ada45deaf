// SPDX-License-Identifier: Apache-2.0
#include "pinned.hpp"

#include <algorithm>

namespace collet::sim {

void PinnedRanges::add(const void* data, std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  ranges_.push_back({reinterpret_cast<std::uintptr_t>(data), size_bytes});
}

void PinnedRanges::remove(const void* data, std::uint64_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  // The same range may have been added twice.
  const auto place = std::find(ranges_.begin(), ranges_.end(),
                               Range{reinterpret_cast<std::uintptr_t>(data), size_bytes});
  if (place != ranges_.end()) ranges_.erase(place);
}

bool PinnedRanges::contains(const void* data, std::uint64_t size_bytes) const noexcept {
  if (size_bytes == 0) return true;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::lock_guard lock(mutex_);
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return begin >= range.begin && begin - range.begin <= range.size_bytes &&
           size_bytes <= range.size_bytes - (begin - range.begin);
  });
}

bool PinnedRanges::charge(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_bytes_ - charged_bytes_) return false;
  charged_bytes_ += bytes;
  return true;
}

void PinnedRanges::discharge(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  charged_bytes_ -= bytes;
}

}  // namespace collet::sim
