// SPDX-License-Identifier: Apache-2.0
/** The virtual clock: when commands would have run. */
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "costs.hpp"

namespace collet::sim {

/**
 * Computes when each command starts and ends, from what was enqueued and never from real time.
 *
 * A command starts when the one before it in its stream has ended, the record that it waits for is
 * reached, the program has enqueued it, and its unit is free. Units take who is ready first, and of
 * those who was enqueued first. The program's own time moves only when it waits: to the end of what
 * it has waited for. So the times are the same in each run of a program that enqueues from one
 * thread, whatever the schedule is and however fast the machine.
 *
 * Commands are placed in the order of their starts, and only as far as the program has looked:
 * what it enqueues later starts no earlier than that.
 */
class Timeline {
 public:
  /** A moment; known once it is placed. */
  using Mark = std::optional<std::int64_t>;

  /** What is enqueued on a stream and not placed yet. */
  class Lane {
    friend class Timeline;

    struct Task {
      std::uint64_t ticket;
      /** Counts all tasks. */
      std::uint64_t number;
      std::int64_t enqueued_ns;
      std::size_t unit;
      std::int64_t duration_ns;
      std::shared_ptr<const Mark> awaited;
      /** Set when the task is placed. */
      std::shared_ptr<Mark> mark;
    };

    std::deque<Task> tasks_;
    /** When the last task that is placed ends. */
    std::int64_t end_ns_ = 0;
  };

  Timeline(std::size_t devices, Costs costs)
      : costs_(std::move(costs)), free_ns_(devices * kUnits) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  struct Command {
    std::size_t device;
    std::uint64_t ticket;
    const Work& work;
    /** What it takes besides its cost. */
    std::int64_t delay_ns;
    /** The moment that it waits for, or nullptr. */
    std::shared_ptr<const Mark> awaited;
    /** Learns when the command ends, or nullptr. */
    std::shared_ptr<Mark> mark;
  };
  void enqueue(const std::shared_ptr<Lane>& lane, Command command);
  void take_back(Lane& lane, std::uint64_t ticket) noexcept;

  /** The program has seen the command of a ticket complete. */
  void observe(const Lane& lane, std::uint64_t ticket);
  /** The moment of a record that is enqueued. */
  [[nodiscard]] std::int64_t time_ns(const Mark& mark);

 private:
  static constexpr std::size_t kNoUnit = SIZE_MAX;

  /** When a lane's next task is ready, and can start; nothing while what it waits for is not known.
   */
  struct Start {
    std::int64_t start_ns;
    std::int64_t ready_ns;
    std::uint64_t number;

    bool operator<(const Start& other) const noexcept {
      return std::tie(start_ns, ready_ns, number) <
             std::tie(other.start_ns, other.ready_ns, other.number);
    }
  };
  [[nodiscard]] std::optional<Start> start_of(const Lane& lane) const;
  /** Places the task that starts first; false if there is none. */
  bool place_next();

  const Costs costs_;
  std::mutex mutex_;
  std::int64_t host_ns_ = 0;
  std::uint64_t tasks_ = 0;
  /** When each unit of each device is free. */
  std::vector<std::int64_t> free_ns_;
  /** Those with tasks. */
  std::vector<std::shared_ptr<Lane>> lanes_;
};

}  // namespace collet::sim
