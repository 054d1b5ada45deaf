// SPDX-License-Identifier: Apache-2.0
// Vector clocks: up to which command each stream has come.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <cstdint>

namespace collet::loader::validate {

class Clock {
 public:
  // True if command `number` of a stream is one of those that this has seen.
  [[nodiscard]] bool has_seen(std::uint32_t stream, std::uint64_t number) const noexcept {
    const auto entry = last_.find(stream);
    return entry != last_.end() && entry->second >= number;
  }

  void see(std::uint32_t stream, std::uint64_t number) {
    std::uint64_t& last = last_[stream];
    last = std::max(last, number);
  }

  void join(const Clock& other) {
    for (const auto& [stream, number] : other.last_) {
      see(stream, number);
    }
  }

  // Forgets what `other` has seen as well.
  void subtract(const Clock& other) {
    for (auto entry = last_.begin(); entry != last_.end();) {
      entry = other.has_seen(entry->first, entry->second) ? last_.erase(entry) : entry + 1;
    }
  }

 private:
  boost::container::flat_map<std::uint32_t, std::uint64_t> last_;
};

}  // namespace collet::loader::validate
