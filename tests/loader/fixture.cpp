// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <cstdlib>
#include <ostream>
#include <stdexcept>

namespace collet::test {
namespace {

const char* state_name(collet_backend_state_t state) {
  switch (state) {
    case COLLET_BACKEND_FOUND:
      return "found";
    case COLLET_BACKEND_READY:
      return "ready";
    case COLLET_BACKEND_UNUSABLE:
      return "unusable";
    case COLLET_BACKEND_STATE_MAX:
      break;
  }
  return "?";
}

}  // namespace

std::string plugin_path(std::initializer_list<std::string> folders) {
  std::string path;
  for (const std::string& folder : folders) {
    path += (path.empty() ? "" : ":") + std::string(COLLET_TEST_PLUGINS "/") + folder;
  }
  return path;
}

ChildResult with_plugins(std::initializer_list<std::string> folders,
                         const std::function<void(std::ostream&)>& body) {
  const std::string path = plugin_path(folders);
  return run_in_child([&](std::ostream& out) {
    unsetenv("COLLET_DEVICE");
    unsetenv("COLLET_VISIBLE_DEVICES");
    unsetenv("COLLET_LOG");
    unsetenv("COLLET_PLUGINS");
    unsetenv("COLLET_PROBE");
    // Nothing is remembered from one case to the next.
    setenv("COLLET_CACHE_DIR", "/dev/null/nothing", 1);
    setenv("COLLET_PLUGIN_PATH", path.c_str(), 1);
    body(out);
  });
}

std::string opened(const char* selector) {
  collet_device_t* device = nullptr;
  const collet_status_t status = selector != nullptr ? collet_device_open(selector, &device)
                                                     : collet_device_open_default(&device);
  if (status != COLLET_OK) {
    return (device == nullptr ? "" : "device is set! ") + last_error();
  }
  collet_device_properties_t properties{};
  properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
  return collet_device_properties(device, &properties) == COLLET_OK ? properties.id : last_error();
}

collet_backend_info_t ledger_at(std::uint32_t index) {
  collet_backend_info_t info{};
  info.base = {COLLET_STRUCT_BACKEND_INFO, sizeof info, nullptr};
  if (collet_backend_info(index, &info) != COLLET_OK) {
    throw std::runtime_error(last_error());
  }
  return info;
}

collet_backend_info_t ledger_entry(const std::string& name) {
  std::uint32_t count = 0;
  if (collet_backend_count(&count) != COLLET_OK) {
    throw std::runtime_error(last_error());
  }
  for (std::uint32_t index = 0; index < count; ++index) {
    if (const collet_backend_info_t info = ledger_at(index); name == info.name) {
      return info;
    }
  }
  throw std::runtime_error(name + " is not there");
}

std::string ledger_line(const std::string& name) {
  try {
    const collet_backend_info_t info = ledger_entry(name);
    return name + " " + state_name(info.state) + " " + collet_status_name(info.status) + ": " +
           info.reason;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string counted_devices(const char* backend) {
  std::uint32_t count = 99;
  if (collet_device_count(backend, &count) != COLLET_OK) {
    return (count == 0 ? "" : "count is set! ") + last_error();
  }
  return std::to_string(count);
}

std::string last_error() {
  const collet_error_t* error = collet_last_error();
  return std::string(collet_status_name(error->status)) + ": " + error->message;
}

}  // namespace collet::test
