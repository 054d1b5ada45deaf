// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

constexpr std::size_t kNameColumns = 40;

using Row = std::vector<std::string>;

// The floating-point types, which are what devices differ in; JSON has all.
std::string types_text(const collet_device_properties_t& device) {
  std::string native;
  std::string emulated;
  for (const collet_type_t type :
       {COLLET_TYPE_F64, COLLET_TYPE_F32, COLLET_TYPE_BF16, COLLET_TYPE_F16}) {
    const std::uint32_t bit = 1U << type;
    std::string* list = (device.native_types & bit) != 0     ? &native
                        : (device.emulated_types & bit) != 0 ? &emulated
                                                             : nullptr;
    if (list != nullptr) {
      *list += (list->empty() ? "" : " ") + std::string(collet_type_name(type));
    }
  }
  if (!emulated.empty()) {
    native += (native.empty() ? "(" : " (") + emulated + ")";
  }
  return native.empty() ? "-" : native;
}

Row device_row(const DeviceReport& report, const std::string& selected) {
  const collet_device_properties_t& device = report.properties;
  return {device.id,
          device.name[0] != '\0' ? shortened(clean(device.name), kNameColumns) : "-",
          device.memory_bytes > 0 ? bytes_text(device.memory_bytes) : "-",
          device.compute_units > 0 ? std::to_string(device.compute_units) : "-",
          types_text(device),
          !report.fault.empty()   ? clean(report.fault)
          : device.id == selected ? "default"
                                  : "ok"};
}

Row backend_row(const collet_backend_info_t& info, bool restricted) {
  std::string state = restricted ? "no visible devices" : "no devices";
  if (info.state == COLLET_BACKEND_UNUSABLE) {
    state = clean(info.reason);
  }
  return {clean(info.name), "-", "-", "-", "-", state};
}

const char* or_dash(const std::string& text) { return text.empty() ? "-" : text.c_str(); }

// Which device of its plugin each device is.
std::string map_of(const Report& report) {
  std::vector<Row> rows = {{"logical", "physical", "PCI address", "uuid"}};
  for (const BackendReport& backend : report.backends) {
    for (const DeviceReport& device : backend.devices) {
      const collet_device_properties_t& properties = device.properties;
      rows.push_back({properties.id,
                      clean(backend.info.name) + ":" + std::to_string(properties.physical_index),
                      or_dash(clean(properties.pci_address)), or_dash(clean(properties.uuid))});
    }
  }
  return "visible by: COLLET_VISIBLE_DEVICES=" + clean(*report.visible) + "\n" +
         (rows.size() > 1 ? aligned(rows) : "");
}

}  // namespace

std::string table_of(const Report& report) {
  std::vector<Row> rows = {{"device", "name", "memory", "units", "types", "state"}};
  bool emulated = false;
  for (const BackendReport& backend : report.backends) {
    for (const DeviceReport& device : backend.devices) {
      rows.push_back(device_row(device, report.selected));
      emulated = emulated || rows.back()[4].find('(') != std::string::npos;
    }
    if (backend.devices.empty()) {
      rows.push_back(backend_row(backend.info, report.visible.has_value()));
    }
  }
  std::string text = aligned(rows);
  if (emulated) {
    text += " (types in brackets are emulated)\n";
  }
  if (report.visible) {
    text += map_of(report);
  }
  for (const std::string& native : report.native_variables) {
    text += "set for a driver, and acting before Collet: " + clean(native) + "\n";
  }
  if (!report.selected.empty()) {
    text += "selected by: COLLET_DEVICE" +
            (report.variable ? "=" + clean(*report.variable) + " -> " : " unset -> auto: ") +
            report.selected + "\n";
  }
  return text;
}

}  // namespace collet::cli
