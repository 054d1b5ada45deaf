// SPDX-License-Identifier: Apache-2.0
// Drivers of GPUs, told by files that come with them, without loading any.
#pragma once

#include <string>
#include <vector>

namespace collet::loader {

struct GpuDriver {
  std::string vendor;
  // The back end that uses it.
  std::string backend;
  // The file that tells of it.
  std::string sign;
};

// The drivers through which this process may reach a GPU, one for each back end.
std::vector<GpuDriver> find_gpu_drivers();

}  // namespace collet::loader
