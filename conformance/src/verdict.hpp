// SPDX-License-Identifier: Apache-2.0
/** What is known about a case after it has run. */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collet::conformance {

enum class Verdict {
  kPass,
  kFail,
  /** The capability is declared absent, and the calls that need it say so. */
  kNotSupported,
  /** Nothing was shown, for a reason that is not the plugin's. Not a pass. */
  kInconclusive,
  kCrashed,
  kTimedOut,
  /** Did not pass, and the vendor's waiver says why that is known. */
  kWaived,
};

/** "pass", "fail", "not supported"... */
[[nodiscard]] std::string_view verdict_name(Verdict verdict) noexcept;

/** Whether a plugin with such a verdict can be conformant. */
[[nodiscard]] constexpr bool is_acceptable(Verdict verdict) noexcept {
  return verdict == Verdict::kPass || verdict == Verdict::kNotSupported ||
         verdict == Verdict::kWaived;
}

struct Case;

struct CaseResult {
  const Case* which = nullptr;
  Verdict verdict = Verdict::kInconclusive;
  /** What was seen in place of what the clause says; or the reason of another verdict. */
  std::string seen;
  /** Where the case noticed it. */
  std::string place;
  /** What the plugin logged or printed meanwhile. */
  std::string log;
  /** What would have been the verdict without the waiver. */
  Verdict unwaived = Verdict::kInconclusive;
  double seconds = 0;
};

}  // namespace collet::conformance
