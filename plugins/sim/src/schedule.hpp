// SPDX-License-Identifier: Apache-2.0
/** Which stream has the next turn, and when. */
#pragma once

#include <collet/sdk/ref.hpp>

#include <cstdint>
#include <random>

#include "stream_list.hpp"

namespace collet::sim {

/** The words of COLLET_SIM_SCHEDULE. */
enum class Order {
  /** As early as the order of streams and events allows. */
  kEager,
  /** As late as that: when something waits for it. */
  kLazy,
  /** By the numbers of a generator, with delays. */
  kRandom
};

struct ScheduleSettings {
  Order order = Order::kEager;
  /** How long a stream that nothing waits for has no turn under Order::kLazy. */
  std::int64_t patience_ns = 100'000'000;
  /** For the choices of Order::kRandom. */
  std::uint64_t seed = 0;
};

/**
 * The choices of an engine, which are what a schedule is. Not for several threads.
 *
 * Patience ends, because a program may wait by means of its own for what a host function does.
 */
class Schedule {
 public:
  explicit Schedule(const ScheduleSettings& settings)
      : order_(settings.order), patience_ns_(settings.patience_ns), random_(settings.seed) {}

  [[nodiscard]] bool is_lazy() const noexcept { return order_ == Order::kLazy; }
  /** Takes a stream out of the line; nothing where none is to run yet. */
  [[nodiscard]] plugin::Ref<Stream> choose(StreamList& line);
  /** How long to wait before the next choice from a line that is not empty, in nanoseconds. */
  [[nodiscard]] std::int64_t delay_ns();
  /** When to choose again from a line that choose() has left as it is; `line` is not empty. */
  [[nodiscard]] std::int64_t next_choice_ns(const StreamList& line) const noexcept;

 private:
  const Order order_;
  const std::int64_t patience_ns_;
  std::mt19937_64 random_;
};

}  // namespace collet::sim
