// SPDX-License-Identifier: Apache-2.0
// Ways to feed a device with batches that lie in host memory.
#pragma once

#include <collet/collet.hpp>
#include <cstdint>
#include <vector>

#include "timeline.hpp"

namespace overlap {

struct Work {
  collet::Device device;
  // Adds up a batch of floats: sum(batch, out, count).
  collet::Kernel sum;
  std::uint64_t steps = 0;
  // Floats of a batch.
  std::uint64_t count = 0;
};

// What came of it.
struct Run {
  Timeline timeline;
  // The sum of each batch.
  std::vector<double> sums;
};

// One stream, and blocking copies: each waits for the kernel before it.
Run run_in_turn(const Work& work, bool is_pinned);

// Two streams, two buffers, and copies that do not block: while one batch is summed, the next one
// is on its way.
Run run_overlapped(const Work& work, bool is_pinned);

// The sum that step `step` must have.
double expected_sum(const Work& work, std::uint64_t step);

}  // namespace overlap
