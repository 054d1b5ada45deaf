// SPDX-License-Identifier: Apache-2.0
/** What the rules of COLLET_SIM_FAULTS make of a call. */
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "fault_rule.hpp"

namespace collet::sim {

/** What is to happen to a command; nothing, mostly. */
struct Fault {
  /** Not empty: the command fails when it runs, by this rule. */
  std::string_view trap;
  /** The same, and the device is lost. */
  std::string_view lose;
  std::int64_t delay_ns = 0;
  /** What it copies is to arrive as zeros. */
  bool is_corrupting = false;
};

class Faults {
 public:
  explicit Faults(std::vector<FaultRule> rules);
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  /**
   * Counts a call, and says what is to become of the command. The texts live as long as this.
   *
   * @throws Error with the status of such a call where a rule makes it fail.
   */
  Fault on_call(Kind kind, std::uint32_t device, std::string_view subject);

  /** How much memory of a device is given; UINT64_MAX without a rule. */
  [[nodiscard]] std::uint64_t budget_bytes(std::uint32_t device) const noexcept;
  [[nodiscard]] bool reuses(Kind kind) const noexcept;

 private:
  struct Counted {
    FaultRule rule;
    std::atomic<std::uint64_t> calls{0};
  };

  std::deque<Counted> rules_;
};

/** @throws Error COMMAND_FAILED that tells of a rule. */
[[noreturn]] void throw_trap(std::string_view rule);

}  // namespace collet::sim
