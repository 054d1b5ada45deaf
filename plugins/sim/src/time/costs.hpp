// SPDX-License-Identifier: Apache-2.0
/** How long commands take on the virtual clock. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "../work.hpp"

namespace collet::sim {

/** The parts of a device that work beside each other, each at one command at a time. */
enum class Unit { kToDevice, kFromDevice, kCompute, kToPeers, kNone };
/** How many there are in a device. */
inline constexpr std::size_t kUnits = 4;

struct Cost {
  Unit unit = Unit::kNone;
  std::int64_t duration_ns = 0;
};

/** The cost model. Host functions, records and waits take no time. */
struct Costs {
  /** Bytes per second from the host, to the host, and inside the device. */
  std::uint64_t to_device = 25'000'000'000;
  std::uint64_t from_device = 25'000'000'000;
  std::uint64_t memory = 500'000'000'000;
  /** To another device. */
  std::uint64_t peer = 50'000'000'000;
  /** What each copy between host and device, or devices, takes besides. */
  std::int64_t latency_ns = 10'000;
  /** A launch, whatever its grid. */
  std::int64_t launch_ns = 10'000;
  /** Launches of kernels that have a time of their own. */
  std::map<std::string, std::int64_t, std::less<>> launch_of_ns;

  [[nodiscard]] Cost of(const Work& work) const;
};

/**
 * Parses a list such as "to_device=25GB/s,latency=0ns,launch=30ms,launch:saxpy=2ms".
 *
 * @throws Error MALFORMED
 */
[[nodiscard]] Costs parse_costs(std::string_view text);

}  // namespace collet::sim
