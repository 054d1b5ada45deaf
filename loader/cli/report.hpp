// SPDX-License-Identifier: Apache-2.0
// What there is to tell about back ends and devices, gathered through the C API.
#pragma once

#include <collet/collet.h>

#include <optional>
#include <string>
#include <vector>

namespace collet::cli {

struct DeviceReport {
  // Where there is a fault, the id alone.
  collet_device_properties_t properties{};
  // Why the device cannot be described; mostly empty.
  std::string fault;
};

struct BackendReport {
  collet_backend_info_t info{};
  // Why its devices cannot be counted; mostly empty.
  std::string fault;
  std::vector<DeviceReport> devices;
};

struct Report {
  // Where plugins were looked for, in lines.
  std::string search;
  // Every candidate, loaded if it can be.
  std::vector<BackendReport> backends;
  // COLLET_DEVICE and COLLET_VISIBLE_DEVICES, where they are set.
  std::optional<std::string> variable;
  std::optional<std::string> visible;
  // Variables of drivers that hide or renumber devices before Collet sees them, as "NAME=value".
  std::vector<std::string> native_variables;
  // Id of the default device; empty where there is none, and then the error says why.
  std::string selected;
  std::string selection_error;
};

// Loads all back ends and opens the default device.
Report make_report();

}  // namespace collet::cli
