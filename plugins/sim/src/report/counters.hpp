// SPDX-License-Identifier: Apache-2.0
/** What a device has done. */
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "../work.hpp"

namespace collet::sim {

/** Any thread may count. */
struct Counters {
  using Counter = std::atomic<std::uint64_t>;

  /** Commands that have run without a failure, and other calls that were answered with COLLET_OK.
   */
  std::array<Counter, kKinds> done{};
  /** Commands that have failed themselves; those behind them do not run. */
  Counter failed{0};
  /** Bytes from the host, to the host, to other devices, and inside the device. */
  Counter to_device_bytes{0};
  Counter from_device_bytes{0};
  Counter to_peers_bytes{0};
  Counter inside_bytes{0};
  /** What the checker has found. */
  Counter conflicts{0};
  /** How often the program has waited: in blocking copies, and for work that was not complete. */
  Counter waits{0};

  void count(const Work& work) noexcept {
    ++done[static_cast<std::size_t>(work.kind)];
    switch (work.path) {
      case Path::kToDevice:
        to_device_bytes += work.size_bytes;
        break;
      case Path::kFromDevice:
        from_device_bytes += work.size_bytes;
        break;
      case Path::kToPeer:
        to_peers_bytes += work.size_bytes;
        break;
      default:
        inside_bytes += work.size_bytes;
    }
  }
};

}  // namespace collet::sim
