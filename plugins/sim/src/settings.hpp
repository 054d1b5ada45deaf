// SPDX-License-Identifier: Apache-2.0
/** What the options of the plugin say. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/checker.hpp"
#include "faults/fault_rule.hpp"
#include "schedule.hpp"
#include "time/costs.hpp"

namespace collet::sim {

struct Settings {
  std::uint32_t device_count = 0;
  /** Memory of each device; whole pages. */
  std::uint64_t memory_bytes = 0;
  ScheduleSettings schedule;
  /** Of the virtual clock; nothing where the clock is the real one. */
  std::optional<Costs> costs;
  std::vector<FaultRule> faults;
  Check check = Check::kOff;
  /** The file of the report; empty: none. */
  std::string report;

  /** @throws Error MALFORMED for an option that cannot be parsed. */
  [[nodiscard]] static Settings read();
};

}  // namespace collet::sim
