// SPDX-License-Identifier: Apache-2.0
/** Which commands of which streams come before a moment. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collet::sim {

/**
 * For each slot, which a stream has, how many of its commands are certain to be complete.
 *
 * What is certain follows from the order of streams, from events and from waits, and not from how
 * things happened to go.
 */
class VectorClock {
 public:
  [[nodiscard]] std::uint64_t at(std::size_t slot) const noexcept {
    return slot < counts_.size() ? counts_[slot] : 0;
  }

  void set(std::size_t slot, std::uint64_t count) {
    if (slot >= counts_.size()) counts_.resize(slot + 1);
    counts_[slot] = count;
  }

  void join(const VectorClock& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      counts_[i] = std::max(counts_[i], other.counts_[i]);
    }
  }

  /** Whether all that is before `other` is before this. */
  [[nodiscard]] bool covers(const VectorClock& other) const noexcept {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      if (at(i) < other.counts_[i]) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace collet::sim
