// SPDX-License-Identifier: Apache-2.0
/** What a device tells about itself. */
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

#include "icd.hpp"

namespace collet::opencl {

struct Version {
  unsigned major = 0;
  unsigned minor = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null pointer in the comparison
  auto operator<=>(const Version&) const = default;
};

/** The version in "OpenCL 3.0 PoCL" or "OpenCL C 1.2"; 0.0 where there is none. */
[[nodiscard]] Version version_of(std::string_view text) noexcept;

/** The text that `query(room, out, out_size)` gives; empty where it gives none. */
template <class Query>
[[nodiscard]] std::string read_text(Query&& query) {
  std::size_t size = 0;
  if (query(std::size_t{0}, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (query(size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

/** A number of a device, or a value of zero where the device does not know it. */
template <class Value>
[[nodiscard]] Value device_info(cl_device_id device, cl_device_info what) noexcept {
  Value value{};
  const cl_int status = icd().clGetDeviceInfo(device, what, sizeof(value), &value, nullptr);
  return status == CL_SUCCESS ? value : Value{};
}

[[nodiscard]] std::string device_text(cl_device_id device, cl_device_info what);

/** Whether the device has an extension. */
[[nodiscard]] bool has_extension(cl_device_id device, std::string_view name);

}  // namespace collet::opencl
