// SPDX-License-Identifier: Apache-2.0
/** Faults on request, as people write them. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../work.hpp"

namespace collet::sim {

enum class Effect {
  /** The call fails, and nothing is enqueued. */
  kFail,
  /** The command fails when it runs. */
  kTrap,
  /** The device is lost when the command runs. */
  kLose,
  /** The command takes longer. */
  kDelay,
  /** Device memory beyond `budget_bytes` is not given. */
  kBudget,
  /** What is released is the next to be given. */
  kReuse,
  /** The copy brings zeros. */
  kCorrupt
};

/** One rule of COLLET_SIM_FAULTS. */
struct FaultRule {
  /** As it was written. */
  std::string text;
  /** Nothing: any command that moves bytes or computes. */
  std::optional<Kind> kind;
  std::optional<std::uint32_t> device;
  /** Only launches of this kernel, unless it is empty. */
  std::string kernel;
  /** Which of the calls that fit it is for, from 1, and whether also for all after it. */
  std::uint64_t first = 1;
  bool and_after = true;
  Effect effect = Effect::kFail;
  std::int64_t delay_ns = 0;
  std::uint64_t budget_bytes = 0;

  [[nodiscard]] bool fits(Kind asked, std::uint32_t on_device,
                          std::string_view subject) const noexcept;
};

/**
 * Parses rules separated by commas, such as "allocate:nth=3,launch:kernel=saxpy:trap".
 *
 * @throws Error MALFORMED
 */
[[nodiscard]] std::vector<FaultRule> parse_faults(std::string_view text);

}  // namespace collet::sim
