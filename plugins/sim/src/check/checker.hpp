// SPDX-License-Identifier: Apache-2.0
/** Finds commands on common memory that nothing orders. */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "../work.hpp"
#include "access_map.hpp"
#include "operation.hpp"
#include "vector_clock.hpp"

namespace collet::sim {

/** The words of COLLET_SIM_CHECK. */
enum class Check {
  kOff,
  /** A conflict is told in the log. */
  kWarn,
  /** The later command of it fails, too. */
  kFail
};

/**
 * The order of all commands of the process, as far as it is certain, and who uses which memory.
 *
 * A command comes after those before it in its stream, after what its stream waits for, and after
 * what the program had seen complete when it was enqueued. What one thread of the program has seen
 * all are taken to know, and a host function passes on what it may have seen or told: so what is
 * reported is a fault, as long as the program orders by what the device knows of; but of a program
 * with many threads or host functions not every fault is found.
 *
 * How early or late commands really run does not matter: a conflict is found although all went
 * well.
 */
class Checker {
 public:
  /** The moment that a stream has come to. */
  class Moment {
    friend class Checker;

    std::size_t slot_ = 0;
    /** What the slot had counted before it was this stream's. */
    std::uint64_t first_ = 0;
    VectorClock before_;
  };
  /** What was certain at a moment; never changes. */
  using Past = std::shared_ptr<const VectorClock>;

  explicit Checker(Check mode) : mode_(mode), seen_(std::make_shared<VectorClock>()) {}
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  [[nodiscard]] std::unique_ptr<Moment> open_stream();
  /** @param ticket  Of the last command. */
  void close_stream(const Moment& moment, std::uint64_t ticket);

  // ---- what the program does ----

  /** What it has seen. */
  [[nodiscard]] Past seen() const;
  /** It sees the commands up to a ticket complete; those are all that the stream has begun. */
  void see(const Moment& moment, std::uint64_t ticket);
  /** It sees a record. */
  void see(const Past& record);
  /**
   * It frees memory.
   *
   * @param native_offset  What makes a native address of an address in it.
   *
   * @return How many commands are not certain to be complete that use it.
   */
  std::size_t free(const std::byte* data, std::uint64_t size_bytes, std::ptrdiff_t native_offset);

  /** Memory is another's, by an order that is not one of streams and events. */
  void forget(const std::byte* data, std::uint64_t size_bytes);

  // ---- what a stream does, in its order ----

  /** It begins a command that was enqueued when the program had seen `seen`. */
  void begin(Moment& moment, std::uint64_t ticket, const Past& seen);
  [[nodiscard]] Past past_of(const Moment& moment) const;
  void wait(Moment& moment, const Past& record);
  /** It calls a function of the program, which sees what is complete and may tell of it... */
  void enter_host(const Moment& moment);
  /** ...and which may have waited for anything that the program has seen. */
  void leave_host(Moment& moment);

  /** What the current command of a stream is. */
  [[nodiscard]] std::shared_ptr<const Operation> operation(const Moment& moment,
                                                           Operation description) const;
  /**
   * Notes the accesses of an operation.
   *
   * @param are_writes  Whether they write; reads otherwise.
   *
   * @param out_count   Is increased by the number of conflicts.
   *
   * @throws Error COMMAND_FAILED for one, with Check::kFail.
   */
  void access(const Moment& moment, const std::shared_ptr<const Operation>& by,
              const std::vector<Access>& accesses, bool are_writes,
              std::atomic<std::uint64_t>& out_count);

 private:
  struct Closed {
    std::size_t slot;
    std::uint64_t last;
  };

  void learn(const VectorClock& past);
  /** Whether a sort of conflict has not been told yet. */
  bool is_news(const std::string& sort);

  const Check mode_;
  mutable std::mutex mutex_;
  Past seen_;
  std::size_t slots_ = 0;
  std::vector<Closed> closed_;
  AccessMap accesses_;
  std::set<std::string> told_;
};

}  // namespace collet::sim
