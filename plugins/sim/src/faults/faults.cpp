// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <algorithm>
#include <collet/sdk/error.hpp>
#include <utility>

namespace collet::sim {
namespace {

/** Real devices run out of something. */
constexpr collet_status_t status_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::kProgram:
      return COLLET_ERROR_BUILD_FAILED;
    case Kind::kConnect:
      return COLLET_ERROR_UNSUPPORTED;
    default:
      return COLLET_ERROR_OUT_OF_DEVICE_MEMORY;
  }
}

}  // namespace

Faults::Faults(std::vector<FaultRule> rules) {
  for (FaultRule& rule : rules) rules_.emplace_back().rule = std::move(rule);
}

Fault Faults::on_call(Kind kind, std::uint32_t device, std::string_view subject) {
  Fault fault;
  for (Counted& counted : rules_) {
    const FaultRule& rule = counted.rule;
    if (!rule.fits(kind, device, subject)) continue;
    const std::uint64_t call = ++counted.calls;
    if (call < rule.first || (call > rule.first && !rule.and_after)) continue;
    switch (rule.effect) {
      case Effect::kFail:
        throw plugin::Error(status_of(kind), 1, "SIM_FAULT",
                            std::string(name_of(kind)) + " on sim:" + std::to_string(device) +
                                " fails by the rule \"" + rule.text + "\" of COLLET_SIM_FAULTS");
      case Effect::kTrap:
        fault.trap = rule.text;
        break;
      case Effect::kLose:
        fault.lose = rule.text;
        break;
      case Effect::kDelay:
        fault.delay_ns += rule.delay_ns;
        break;
      case Effect::kCorrupt:
        fault.is_corrupting = true;
        break;
      default:
        break;
    }
  }
  return fault;
}

std::uint64_t Faults::budget_bytes(std::uint32_t device) const noexcept {
  std::uint64_t budget = UINT64_MAX;
  for (const Counted& counted : rules_) {
    if (counted.rule.effect != Effect::kBudget || counted.rule.device.value_or(device) != device) {
      continue;
    }
    budget = std::min(budget, counted.rule.budget_bytes);
  }
  return budget;
}

bool Faults::reuses(Kind kind) const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [=](const Counted& counted) {
    return counted.rule.effect == Effect::kReuse && counted.rule.kind == kind;
  });
}

void throw_trap(std::string_view rule) {
  throw plugin::Error(COLLET_ERROR_COMMAND_FAILED, 2, "SIM_TRAP",
                      "it traps by the rule \"" + std::string(rule) + "\" of COLLET_SIM_FAULTS");
}

}  // namespace collet::sim
