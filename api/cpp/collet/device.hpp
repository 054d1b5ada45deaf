// SPDX-License-Identifier: Apache-2.0
//
// Back ends, devices, and the thread's current device.
#pragma once

#include <collet/device.h>

#include <collet/error.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace collet {

class Program;

/// An open device. A plain value: devices stay open until the process ends.
class Device {
 public:
  /// Wraps a handle of the C API.
  explicit Device(collet_device_t* handle) noexcept : handle_(handle) {}

  /// Opens the first usable device of a selector such as "cuda:1,cpu". Blocking: may load plugins
  /// and start their drivers.
  static Device open(const std::string& selector) {
    collet_device_t* handle = nullptr;
    check(collet_device_open(selector.c_str(), &handle));
    return Device(handle);
  }

  collet_device_properties_t properties() const {
    collet_device_properties_t properties = COLLET_DEVICE_PROPERTIES_INIT;
    check(collet_device_properties(handle_, &properties));
    return properties;
  }

  /// The selector of this one device, such as "cuda:1".
  std::string id() const { return properties().id; }

  struct MemoryInfo {
    std::uint64_t free_bytes;
    std::uint64_t total_bytes;
  };
  /// Free and total memory as the driver tells them; other processes allocate too.
  MemoryInfo memory_info() const {
    MemoryInfo info{};
    check(collet_device_memory_info(handle_, &info.free_bytes, &info.total_bytes));
    return info;
  }

  /// Builds the program in a file; the format follows from its extension. Needs
  /// <collet/program.hpp>. Blocking: may compile.
  Program load(const std::string& path) const;

  collet_device_t* get() const noexcept { return handle_; }

  friend bool operator==(const Device&, const Device&) = default;

 private:
  collet_device_t* handle_;
};

/// Opens the device that COLLET_DEVICE names; "auto" where it is not set. Blocking: may load
/// plugins and start their drivers.
inline Device default_device() {
  collet_device_t* handle = nullptr;
  check(collet_device_open_default(&handle));
  return Device(handle);
}

/// The calling thread's current device; the default device where none was set. It lives in
/// libcollet, so that all shared objects of a process agree about it.
inline Device current_device() {
  collet_device_t* handle = nullptr;
  check(collet_current_device_get(&handle));
  return Device(handle);
}

/// Makes a device the thread's current one until the end of the scope. Belongs to one thread.
class DeviceScope {
 public:
  explicit DeviceScope(const Device& device) {
    // Where the default device cannot be opened, `previous_` is NULL, which means "the default".
    static_cast<void>(collet_current_device_get(&previous_));
    check(collet_current_device_set(device.get()));
  }
  ~DeviceScope() { static_cast<void>(collet_current_device_set(previous_)); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  collet_device_t* previous_ = nullptr;
};

/// All back ends that were found, unusable ones included; none is loaded for it. The texts live
/// as long as the process.
inline std::vector<collet_backend_info_t> backends() {
  std::uint32_t count = 0;
  check(collet_backend_count(&count));
  std::vector<collet_backend_info_t> found(count, COLLET_BACKEND_INFO_INIT);
  for (std::uint32_t i = 0; i < count; ++i) check(collet_backend_info(i, &found[i]));
  return found;
}

/// The devices of a back end, none of them opened. Blocking: loads its plugin.
inline std::vector<collet_device_properties_t> devices(const std::string& backend) {
  std::uint32_t count = 0;
  check(collet_device_count(backend.c_str(), &count));
  std::vector<collet_device_properties_t> found(count, COLLET_DEVICE_PROPERTIES_INIT);
  for (std::uint32_t i = 0; i < count; ++i) {
    check(collet_device_describe(backend.c_str(), i, &found[i]));
  }
  return found;
}

}  // namespace collet
