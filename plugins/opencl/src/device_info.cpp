// SPDX-License-Identifier: Apache-2.0
#include "device_info.hpp"

#include <charconv>

namespace collet::opencl {

Version version_of(std::string_view text) noexcept {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return {};
  Version version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data() + first, end, version.major);
  if (major.ptr == end || *major.ptr != '.') return {};
  std::from_chars(major.ptr + 1, end, version.minor);
  return version;
}

std::string device_text(cl_device_id device, cl_device_info what) {
  return read_text([device, what](std::size_t room, void* out, std::size_t* size) {
    return icd().clGetDeviceInfo(device, what, room, out, size);
  });
}

bool has_extension(cl_device_id device, std::string_view name) {
  const std::string all = " " + device_text(device, CL_DEVICE_EXTENSIONS) + " ";
  return all.find(" " + std::string(name) + " ") != std::string::npos;
}

}  // namespace collet::opencl
