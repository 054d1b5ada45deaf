// SPDX-License-Identifier: Apache-2.0
#include "report_json.hpp"

#include <algorithm>
#include <string_view>

namespace collet::cli {
namespace {

const char* kind_name(collet_device_kind_t kind) {
  switch (kind) {
    case COLLET_DEVICE_KIND_CPU:
      return "cpu";
    case COLLET_DEVICE_KIND_GPU:
      return "gpu";
    case COLLET_DEVICE_KIND_ACCELERATOR:
      return "accelerator";
    case COLLET_DEVICE_KIND_SIMULATED:
      return "simulated";
    case COLLET_DEVICE_KIND_MAX:
      break;
  }
  return "unknown";
}

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
  return "unknown";
}

const char* phase_name(collet_backend_phase_t phase) {
  switch (phase) {
    case COLLET_BACKEND_PHASE_FOUND:
      return "found";
    case COLLET_BACKEND_PHASE_INSPECTED:
      return "inspected";
    case COLLET_BACKEND_PHASE_PROBED:
      return "probed";
    case COLLET_BACKEND_PHASE_LOADED:
      return "loaded";
    case COLLET_BACKEND_PHASE_NEGOTIATED:
      return "negotiated";
    case COLLET_BACKEND_PHASE_COUNTED:
      return "counted";
    case COLLET_BACKEND_PHASE_MAX:
      break;
  }
  return "unknown";
}

Json types_json(std::uint32_t set) {
  Json names = Json::array();
  for (std::uint32_t type = COLLET_TYPE_BOOL; type <= COLLET_TYPE_U4; ++type) {
    if ((set >> type & 1U) != 0) {
      names.push_back(collet_type_name(static_cast<collet_type_t>(type)));
    }
  }
  return names;
}

Json formats_json(std::string_view formats) {
  Json names = Json::array();
  while (!formats.empty()) {
    const std::string_view name = formats.substr(0, formats.find(' '));
    names.push_back(name);
    formats.remove_prefix(std::min(formats.size(), name.size() + 1));
  }
  return names;
}

Json device_json(const DeviceReport& report) {
  const collet_device_properties_t& device = report.properties;
  return {
      {"id", device.id},
      {"physical_index", device.physical_index},
      {"fault", report.fault},
      {"name", device.name},
      {"vendor", device.vendor},
      {"kind", kind_name(device.kind)},
      {"capability", device.capability},
      {"runtime_version", device.runtime_version},
      {"built_against", device.built_against},
      {"pci_address", device.pci_address},
      {"uuid", device.uuid},
      {"program_formats", formats_json(device.program_formats)},
      {"compiler", device.compiler},
      {"host_visible", (device.flags & COLLET_DEVICE_HOST_VISIBLE) != 0},
      {"unified_memory", (device.flags & COLLET_DEVICE_UNIFIED_MEMORY) != 0},
      {"inline_streams", (device.flags & COLLET_DEVICE_INLINE_STREAMS) != 0},
      {"driver_compiles", (device.flags & COLLET_DEVICE_DRIVER_COMPILES) != 0},
      {"compute_units", device.compute_units},
      {"numa_node", device.numa_node},
      {"memory_bytes", device.memory_bytes},
      {"max_allocation_bytes", device.max_allocation_bytes},
      {"local_memory_bytes", device.local_memory_bytes},
      {"max_group_items", device.max_group_items},
      {"max_group_size", device.max_group_size},
      {"max_grid_size", device.max_grid_size},
      {"sub_group_size", device.sub_group_size},
      {"priority_least", device.priority_least},
      {"priority_greatest", device.priority_greatest},
      {"dlpack_device_type", device.dlpack_device_type},
      {"native_types", types_json(device.native_types)},
      {"emulated_types", types_json(device.emulated_types)},
      {"memory_bandwidth_bytes_per_s", device.memory_bandwidth_bytes_per_s},
      {"peak_f32_flops", device.peak_f32_flops},
  };
}

Json backend_json(const BackendReport& backend) {
  Json devices = Json::array();
  for (const DeviceReport& device : backend.devices) {
    devices.push_back(device_json(device));
  }
  return {
      {"name", backend.info.name},
      {"path", backend.info.path},
      {"origin", backend.info.origin},
      {"version", backend.info.version},
      {"vendor", backend.info.vendor},
      {"state", state_name(backend.info.state)},
      {"status", collet_status_name(backend.info.status)},
      {"phase", phase_name(backend.info.phase)},
      {"from_cache", backend.info.from_cache != 0},
      {"reason", backend.info.reason},
      {"hint", backend.info.hint},
      {"devices", devices},
  };
}

}  // namespace

Json json_report(const Report& report) {
  Json backends = Json::array();
  for (const BackendReport& backend : report.backends) {
    backends.push_back(backend_json(backend));
  }
  const std::uint32_t abi = collet_abi_version();
  return {
      {"version", collet_version()},
      {"abi_version", std::to_string(abi >> 16) + "." + std::to_string(abi & 0xffff)},
      {"search", report.search},
      {"backends", backends},
      {"visible_devices", report.visible ? Json(*report.visible) : Json(nullptr)},
      {"native_variables", report.native_variables},
      {"selection",
       {{"COLLET_DEVICE", report.variable ? Json(*report.variable) : Json(nullptr)},
        {"device", report.selected},
        {"error", report.selection_error}}},
  };
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace collet::cli
