// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <stdexcept>

#include "environment.hpp"

namespace collet::cli {
namespace {

void check(collet_status_t status) {
  if (status != COLLET_OK) {
    throw std::runtime_error(collet_last_error()->message);
  }
}

collet_backend_info_t describe(std::uint32_t index) {
  collet_backend_info_t info{};
  info.base = {COLLET_STRUCT_BACKEND_INFO, sizeof info, nullptr};
  check(collet_backend_info(index, &info));
  return info;
}

DeviceReport report_device(const char* backend, std::uint32_t index) {
  DeviceReport report;
  collet_device_properties_t& properties = report.properties;
  properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
  if (collet_device_describe(backend, index, &properties) != COLLET_OK) {
    report.fault = collet_last_error()->message;
    const std::string id = std::string(backend) + ":" + std::to_string(index);
    id.copy(properties.id, sizeof properties.id - 1);
  }
  return report;
}

BackendReport report_backend(std::uint32_t index) {
  BackendReport report;
  report.info = describe(index);
  if (report.info.state == COLLET_BACKEND_UNUSABLE) {
    return report;
  }
  std::uint32_t count = 0;
  if (collet_device_count(report.info.name, &count) != COLLET_OK) {
    report.fault = collet_last_error()->message;
  }
  report.info = describe(index);
  for (std::uint32_t device = 0; device < count; ++device) {
    report.devices.push_back(report_device(report.info.name, device));
  }
  return report;
}

// What drivers read themselves.
constexpr const char* kNativeVariables[] = {
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES",    "ROCR_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",   "ZE_AFFINITY_MASK",  "ONEAPI_DEVICE_SELECTOR", "OCL_ICD_VENDORS",
    "OCL_ICD_FILENAMES",    "POCL_DEVICES",      "RUSTICL_ENABLE",
};

void read_environment(Report& report) {
  report.variable = loader::variable("COLLET_DEVICE");
  report.visible = loader::variable("COLLET_VISIBLE_DEVICES");
  for (const char* name : kNativeVariables) {
    if (const auto value = loader::variable(name)) {
      report.native_variables.push_back(std::string(name) + "=" + *value);
    }
  }
}

void select(Report& report) {
  collet_device_t* device = nullptr;
  if (collet_device_open_default(&device) != COLLET_OK) {
    report.selection_error = collet_last_error()->message;
    return;
  }
  collet_device_properties_t properties{};
  properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
  check(collet_device_properties(device, &properties));
  report.selected = properties.id;
}

}  // namespace

Report make_report() {
  Report report;
  read_environment(report);
  std::uint32_t count = 0;
  check(collet_backend_count(&count));
  const char* search = nullptr;
  check(collet_backend_search_text(&search));
  report.search = search;
  for (std::uint32_t index = 0; index < count; ++index) {
    report.backends.push_back(report_backend(index));
  }
  select(report);
  return report;
}

}  // namespace collet::cli
