// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

namespace collet::conformance {

std::string_view verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kNotSupported:
      return "not supported";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kCrashed:
      return "crashed";
    case Verdict::kTimedOut:
      return "timed out";
    case Verdict::kWaived:
      return "waived";
  }
  return "?";
}

}  // namespace collet::conformance
