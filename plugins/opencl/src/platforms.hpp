// SPDX-License-Identifier: Apache-2.0
/** The devices of all platforms, in the order in which they are numbered. */
#pragma once

#include <string>
#include <vector>

#include "icd.hpp"

namespace collet::opencl {

struct Platform {
  cl_platform_id id = nullptr;
  std::string name;
};

struct ListedDevice {
  Platform platform;
  cl_device_id id = nullptr;
  cl_device_type type = 0;
  /** Why it cannot be used; empty where it can. */
  std::string fault;
};

/**
 * Lists the devices: the usable before the others, GPUs before accelerators before processors, and
 * then by the names of their platforms and as those list them. A device that two platforms have is
 * there twice.
 *
 * @throws Error UNAVAILABLE if there is no OpenCL, or no driver for it.
 */
[[nodiscard]] std::vector<ListedDevice> list_devices();

}  // namespace collet::opencl
