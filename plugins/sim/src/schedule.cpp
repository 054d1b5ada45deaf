// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include <collet/sdk/wait.hpp>

#include "stream.hpp"

namespace collet::sim {

using plugin::Ref;

Ref<Stream> Schedule::choose(StreamList& line) {
  switch (order_) {
    case Order::kLazy: {
      const std::int64_t rested_before_ns = plugin::now_ns() - patience_ns_;
      return line.take_first([=](Stream& stream) {
        if (stream.is_demanded()) return true;
        if (stream.ready_since_ns() > rested_before_ns) return false;
        stream.release_all();
        return true;
      });
    }
    case Order::kRandom: {
      std::uint64_t skipped = line.size() > 1 ? random_() % line.size() : 0;
      return line.take_first([&](Stream&) { return skipped-- == 0; });
    }
    default:
      return line.pop();
  }
}

std::int64_t Schedule::delay_ns() {
  if (order_ != Order::kRandom) return 0;
  // Mostly none; sometimes as long as a few commands of the host take, and rarely a long one.
  constexpr std::uint64_t kShortNs = 200'000;
  constexpr std::uint64_t kLongNs = 2'000'000;
  const std::uint64_t kind = random_() % 64;
  if (kind >= 16) return 0;
  return static_cast<std::int64_t>(random_() % (kind == 0 ? kLongNs : kShortNs));
}

std::int64_t Schedule::next_choice_ns(const StreamList& line) const noexcept {
  return line.first()->ready_since_ns() + patience_ns_;
}

}  // namespace collet::sim
