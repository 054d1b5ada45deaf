// SPDX-License-Identifier: Apache-2.0
/** Host memory that a device can reach. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace collet::sim {

/** The ranges of host memory that are pinned for a device, and how much of it is its own. */
class PinnedRanges {
 public:
  /** @param limit_bytes  Most that can be allocated in all. */
  explicit PinnedRanges(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}
  PinnedRanges(const PinnedRanges&) = delete;
  PinnedRanges& operator=(const PinnedRanges&) = delete;

  void add(const void* data, std::uint64_t size_bytes);
  void remove(const void* data, std::uint64_t size_bytes) noexcept;
  /** Whether a range lies in one that was added; no bytes always do. */
  [[nodiscard]] bool contains(const void* data, std::uint64_t size_bytes) const noexcept;

  /** Counts an allocation; returns false if it is beyond the limit. */
  [[nodiscard]] bool charge(std::uint64_t bytes) noexcept;
  void discharge(std::uint64_t bytes) noexcept;

 private:
  struct Range {
    std::uintptr_t begin;
    std::uint64_t size_bytes;

    bool operator==(const Range&) const = default;
  };

  const std::uint64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::vector<Range> ranges_;
  std::uint64_t charged_bytes_ = 0;
};

}  // namespace collet::sim
