// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "bytes_text.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

constexpr std::size_t kNameColumns = 40;
constexpr std::size_t kWidth = 100;

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
          device.memory_bytes > 0 ? loader::bytes_text(device.memory_bytes, 1) : "-",
          device.compute_units > 0 ? std::to_string(device.compute_units) : "-",
          types_text(device),
          !report.fault.empty()   ? clean(report.fault)
          : device.id == selected ? "default"
                                  : "ok"};
}

// What follows is the place of a mistake, which is shown where the error is.
std::string first_line(std::string_view text) { return clean(text.substr(0, text.find('\n'))); }

Row backend_row(const BackendReport& backend, bool restricted) {
  const collet_backend_info_t& info = backend.info;
  std::string state = restricted ? "no visible devices" : "no devices";
  if (info.state == COLLET_BACKEND_UNUSABLE) {
    state = first_line(info.reason);
  } else if (!backend.fault.empty()) {
    state = "not asked: the selection of devices is wrong";
  }
  return {clean(info.name), "-", "-", "-", "-", state};
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// How far a candidate got, as the end of "it failed after ...".
const char* phase_text(collet_backend_phase_t phase) {
  switch (phase) {
    case COLLET_BACKEND_PHASE_FOUND:
      return "the file was found";
    case COLLET_BACKEND_PHASE_INSPECTED:
      return "the file was read";
    case COLLET_BACKEND_PHASE_PROBED:
      return "another process has tried it";
    case COLLET_BACKEND_PHASE_LOADED:
      return "it was loaded";
    case COLLET_BACKEND_PHASE_NEGOTIATED:
      return "its tables were checked";
    case COLLET_BACKEND_PHASE_COUNTED:
      return "its devices were counted";
    case COLLET_BACKEND_PHASE_MAX:
      break;
  }
  return "an unknown step";
}

std::string verdict(const BackendReport& backend) {
  const collet_backend_info_t& info = backend.info;
  if (info.state == COLLET_BACKEND_UNUSABLE) {
    return "not usable: " + first_line(info.reason);
  }
  if (!backend.fault.empty()) {
    return "not asked: the selection of devices is wrong";
  }
  if (info.state == COLLET_BACKEND_FOUND) {
    return "not loaded: COLLET_VISIBLE_DEVICES shows none of its devices";
  }
  const std::size_t count = backend.devices.size();
  return "usable: " + std::to_string(count) + (count == 1 ? " device" : " devices") +
         (info.from_cache != 0 ? ", known from an earlier process" : "");
}

// What there is to say about a candidate, line by line.
std::vector<std::pair<std::string, std::string>> facts_of(const collet_backend_info_t& info) {
  const std::string version = clean(info.version);
  const std::string vendor = clean(info.vendor);
  std::vector<std::pair<std::string, std::string>> facts = {
      {"file", clean(info.path) + " (" + clean(info.origin) + ")"}};
  if (!version.empty()) {
    facts.emplace_back("version", version + (vendor.empty() ? "" : ", by " + vendor));
  }
  if (info.state == COLLET_BACKEND_UNUSABLE) {
    facts.emplace_back("status", std::string(collet_status_name(info.status)) + ", after " +
                                     phase_text(info.phase));
  }
  if (info.hint[0] != '\0') {
    facts.emplace_back("to do", clean(info.hint));
  }
  return facts;
}

}  // namespace

std::string map_table(const Report& report) {
  std::vector<Row> rows = {{"logical", "physical", "PCI address", "uuid"}};
  for (const BackendReport& backend : report.backends) {
    for (const DeviceReport& device : backend.devices) {
      const collet_device_properties_t& properties = device.properties;
      rows.push_back({properties.id,
                      clean(backend.info.name) + ":" + std::to_string(properties.physical_index),
                      or_dash(clean(properties.pci_address)), or_dash(clean(properties.uuid))});
    }
  }
  return rows.size() > 1 ? aligned(rows) : "";
}

std::string device_table(const Report& report) {
  std::vector<Row> rows = {{"device", "name", "memory", "units", "types", "state"}};
  bool emulated = false;
  for (const BackendReport& backend : report.backends) {
    for (const DeviceReport& device : backend.devices) {
      rows.push_back(device_row(device, report.selected));
      emulated = emulated || rows.back()[4].find('(') != std::string::npos;
    }
    if (backend.devices.empty()) {
      rows.push_back(backend_row(backend, report.visible.has_value()));
    }
  }
  return aligned(rows) + (emulated ? " (types in brackets are emulated)\n" : "");
}

std::string candidates_text(const Report& report) {
  std::size_t column = 0;
  for (const BackendReport& backend : report.backends) {
    column = std::max(column, clean(backend.info.name).size() + 3);
  }
  std::string text;
  for (const BackendReport& backend : report.backends) {
    std::string head = " " + clean(backend.info.name);
    head.append(column - head.size(), ' ');
    text += head + wrapped(verdict(backend), kWidth - column, column) + "\n";
    for (const auto& [key, value] : facts_of(backend.info)) {
      std::string line = std::string(column, ' ') + key;
      line.append(column + 9 - line.size(), ' ');
      text += line + wrapped(value, kWidth - column - 9, column + 9) + "\n";
    }
  }
  return text;
}

std::string devices_text(const Report& report) {
  std::string text = device_table(report);
  if (report.visible) {
    text +=
        "visible by: COLLET_VISIBLE_DEVICES=" + clean(*report.visible) + "\n" + map_table(report);
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
