// SPDX-License-Identifier: Apache-2.0
#include "platforms.hpp"

#include <algorithm>
#include <collet/sdk/host.hpp>
#include <tuple>

#include "cl_error.hpp"
#include "device_info.hpp"

namespace collet::opencl {
namespace {

using plugin::Error;

constexpr cl_int kNoPlatforms = -1001;

std::string platform_name(cl_platform_id platform) {
  return read_text([platform](std::size_t room, void* out, std::size_t* size) {
    return icd().clGetPlatformInfo(platform, CL_PLATFORM_NAME, room, out, size);
  });
}

std::vector<Platform> list_platforms() {
  cl_uint count = 0;
  const cl_int status = load_icd().clGetPlatformIDs(0, nullptr, &count);
  if (status == kNoPlatforms || (status == CL_SUCCESS && count == 0)) {
    throw Error(COLLET_ERROR_UNAVAILABLE,
                "OpenCL has no driver: no file in /etc/OpenCL/vendors names a library that works; "
                "install the driver of the device's vendor (Debian, for the processor: "
                "pocl-opencl-icd)");
  }
  check(status, "clGetPlatformIDs");
  std::vector<cl_platform_id> ids(count);
  check(icd().clGetPlatformIDs(count, ids.data(), nullptr), "clGetPlatformIDs");
  std::vector<Platform> platforms;
  platforms.reserve(ids.size());
  for (cl_platform_id id : ids) platforms.push_back({id, platform_name(id)});
  return platforms;
}

std::string fault_of(cl_device_id device) {
  const std::string version = device_text(device, CL_DEVICE_VERSION);
  if (device_info<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_FALSE) {
    return "its driver says that it is not available";
  }
  if (version_of(version) < Version{1, 2}) {
    return "it has \"" + version + "\", and Collet needs OpenCL 1.2";
  }
  if (device_info<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) {
    return "its driver has no compiler for OpenCL C";
  }
  return {};
}

void append_devices(const Platform& platform, std::vector<ListedDevice>& out) {
  cl_uint count = 0;
  const cl_int status = icd().clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status != CL_SUCCESS || count == 0) {
    plugin::host().log(COLLET_LOG_INFO,
                       "the OpenCL platform \"" + platform.name + "\" has no devices");
    return;
  }
  std::vector<cl_device_id> ids(count);
  check(icd().clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
        "clGetDeviceIDs");
  for (cl_device_id id : ids) {
    out.push_back({platform, id, device_info<cl_device_type>(id, CL_DEVICE_TYPE), fault_of(id)});
  }
}

/** The smaller, the earlier in the list. */
int rank_of(cl_device_type type) noexcept {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return 0;
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return 1;
  return 2;
}

}  // namespace

std::vector<ListedDevice> list_devices() {
  std::vector<ListedDevice> devices;
  for (const Platform& platform : list_platforms()) append_devices(platform, devices);
  const auto key = [](const ListedDevice& device) {
    return std::tuple<bool, int, const std::string&>(!device.fault.empty(), rank_of(device.type),
                                                     device.platform.name);
  };
  std::stable_sort(
      devices.begin(), devices.end(),
      [&key](const ListedDevice& a, const ListedDevice& b) { return key(a) < key(b); });
  return devices;
}

}  // namespace collet::opencl
