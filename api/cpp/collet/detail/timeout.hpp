// SPDX-License-Identifier: Apache-2.0
//
// Durations of the standard library as time-outs of the C API.
#pragma once

#include <collet/base.h>

#include <chrono>
#include <collet/error.hpp>
#include <cstdint>

namespace collet::detail {

/// Nanoseconds; a negative duration only looks, one that does not fit never ends.
template <class Rep, class Period>
std::uint64_t timeout_ns(std::chrono::duration<Rep, Period> timeout) {
  using Seconds = std::chrono::duration<double>;
  if (!(Seconds(timeout) > Seconds::zero())) return 0;
  if (Seconds(timeout) >= Seconds(std::chrono::nanoseconds::max())) return COLLET_TIMEOUT_INFINITE;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(timeout).count());
}

/// The answer of a wait: false where the time was up. Throws other failures.
inline bool in_time(collet_status_t status) {
  if (status == COLLET_ERROR_TIMEOUT) return false;
  check(status);
  return true;
}

}  // namespace collet::detail
