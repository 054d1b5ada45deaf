// SPDX-License-Identifier: Apache-2.0
/** The memory of a device: one file in memory, seen from two sides. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "block_list.hpp"

namespace collet::sim {

/**
 * Memory at two addresses. By that of the host nothing can be read or written: access ends the
 * process, as it should where memory is another device's. By that of the device it is memory.
 *
 * Pages that were never written take none of the machine's memory, and pages that are free again
 * are given back.
 */
class Arena {
 public:
  using Block = BlockList::Place;

  struct Limits {
    std::uint64_t size_bytes;
    /** How much of that is given; UINT64_MAX: all. */
    std::uint64_t budget_bytes = UINT64_MAX;
    /** Whether what was freed last is given first, where it fits. */
    bool reuses_last = false;
  };

  /** @throws Error UNAVAILABLE if the system does not give the addresses. */
  explicit Arena(const Limits& limits);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() = delete;

  /** Nothing if there is no room; the size is not 0. */
  [[nodiscard]] std::optional<Block> allocate(std::uint64_t size_bytes,
                                              std::uint64_t alignment_bytes);
  void free(Block block) noexcept;

  [[nodiscard]] std::byte* host_address(Block block) const noexcept {
    return host_view_ + block->offset_bytes;
  }
  [[nodiscard]] std::byte* device_address(Block block) const noexcept {
    return device_view_ + block->offset_bytes;
  }

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return limits_.size_bytes; }
  [[nodiscard]] bool has_budget() const noexcept { return limits_.budget_bytes != UINT64_MAX; }
  /** Most that was given at one time. */
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept;
  [[nodiscard]] std::uint64_t free_bytes() const noexcept;
  [[nodiscard]] std::uint64_t largest_free_bytes() const noexcept;

 private:
  const Limits limits_;
  std::byte* host_view_ = nullptr;
  std::byte* device_view_ = nullptr;
  mutable std::mutex mutex_;
  BlockList blocks_;
  std::uint64_t given_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::optional<std::uint64_t> last_freed_offset_;
};

}  // namespace collet::sim
