// SPDX-License-Identifier: Apache-2.0
/** The time of a device. */
#pragma once

#include <collet/sdk/wait.hpp>

#include <cstdint>

namespace collet::sim {

/** What events read; it runs with the host's. */
class Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept { return plugin::now_ns(); }
};

}  // namespace collet::sim
