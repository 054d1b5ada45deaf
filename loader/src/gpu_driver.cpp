// SPDX-License-Identifier: Apache-2.0
#include "gpu_driver.hpp"

#include <unistd.h>

#include <algorithm>

namespace collet::loader {
namespace {

struct Sign {
  const char* vendor;
  const char* backend;
  const char* path;
};

// What only a GPU brings along. A driver's libraries are no sign: they are installed on machines
// that build programs, and in images of containers. Nor is /proc/driver: containers see the host's,
// also where they are given no GPU. /dev/dri is there for any display.
constexpr Sign kSigns[] = {
    {"NVIDIA", "cuda", "/dev/nvidiactl"},
    // Of Windows's driver, where Linux runs below Windows.
    {"NVIDIA", "cuda", "/usr/lib/wsl/lib/libcuda.so.1"},
};

}  // namespace

std::vector<GpuDriver> find_gpu_drivers() {
  std::vector<GpuDriver> drivers;
  for (const Sign& sign : kSigns) {
    const bool known = std::any_of(drivers.begin(), drivers.end(), [&](const GpuDriver& driver) {
      return driver.backend == sign.backend;
    });
    if (!known && access(sign.path, F_OK) == 0) {
      drivers.push_back({sign.vendor, sign.backend, sign.path});
    }
  }
  return drivers;
}

}  // namespace collet::loader
