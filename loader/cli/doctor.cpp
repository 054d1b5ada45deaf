// SPDX-License-Identifier: Apache-2.0
#include "doctor.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "cache.hpp"
#include "devices.hpp"
#include "environment.hpp"
#include "help.hpp"
#include "report_json.hpp"
#include "text.hpp"
#include "variable_names.hpp"

namespace collet::cli {
namespace {

constexpr std::size_t kWidth = 92;

struct Warnings {
  std::mutex mutex;
  std::vector<std::string> lines;
};

void keep_warning(void* user_data, collet_log_level_t /*level*/, const char* text) {
  auto& warnings = *static_cast<Warnings*>(user_data);
  const std::lock_guard lock(warnings.mutex);
  warnings.lines.emplace_back(text);
}

// The log outlives every scope: plugins may write from their threads until the process ends.
Warnings& take_log() {
  static Warnings& warnings = *new Warnings;
  collet_config_t config{};
  config.base = {COLLET_STRUCT_CONFIG, sizeof config, nullptr};
  config.log_callback = keep_warning;
  config.log_user_data = &warnings;
  config.log_level = COLLET_LOG_WARN;
  if (collet_configure(&config) != COLLET_OK) {
    throw std::runtime_error(collet_last_error()->message);
  }
  return warnings;
}

bool is_auto(const Report& report) { return !report.variable || *report.variable == "auto"; }

const DeviceReport* selected_device(const Report& report) {
  for (const BackendReport& backend : report.backends) {
    for (const DeviceReport& device : backend.devices) {
      if (report.selected == device.properties.id) {
        return &device;
      }
    }
  }
  return nullptr;
}

// What "auto" warned of, in a list of its own below.
bool is_about_auto(const std::string& warning) { return warning.starts_with("auto has chosen "); }

void add_candidates(const Report& report, std::vector<std::string>& to_do) {
  const DeviceReport* selected = selected_device(report);
  const bool fell_back =
      is_auto(report) && selected != nullptr && selected->properties.kind == COLLET_DEVICE_KIND_CPU;
  for (const BackendReport& backend : report.backends) {
    const collet_backend_info_t& info = backend.info;
    const bool unavailable = info.status == COLLET_ERROR_UNAVAILABLE;
    const bool told = report.selection_error.find(info.reason) != std::string::npos;
    if (info.state != COLLET_BACKEND_UNUSABLE || told || (unavailable && !fell_back)) {
      continue;
    }
    std::string advice = info.hint;
    if (unavailable) {
      advice += (advice.empty() ? "" : "; or, ") + ("if " + report.selected) +
                " is what you want, set COLLET_DEVICE=" + report.selected;
    } else if (advice.empty()) {
      advice = std::string("mend or remove ") + info.path;
    }
    to_do.push_back(std::string(info.name) + " is not usable: " + info.reason + "; " + advice);
  }
}

std::vector<std::string> find_to_do(const Diagnosis& diagnosis) {
  std::vector<std::string> to_do;
  if (!diagnosis.report.selection_error.empty()) {
    to_do.push_back(diagnosis.report.selection_error);
  }
  for (const std::string& warning : diagnosis.warnings) {
    if (!is_about_auto(warning)) {
      to_do.push_back(warning);
    }
  }
  add_candidates(diagnosis.report, to_do);
  return to_do;
}

// ---- environment --------------------------------------------------------------------------------

struct Setting {
  std::string name;
  // Nothing: not set.
  std::optional<std::string> value;
  std::string effect;
};

std::string effect_of_known(const std::string& name, bool set, const Report& report) {
  if (name == "COLLET_DEVICE") {
    return report.selected.empty() ? "selects nothing"
                                   : (set ? "selects " : "auto selects ") + report.selected;
  }
  if (name == "COLLET_VISIBLE_DEVICES") {
    return set ? "hides and renumbers devices" : "all devices are visible";
  }
  return "";
}

std::string effect_of_other(const std::string& name,
                            const std::vector<loader::UnreadVariable>& unread) {
  const auto found =
      std::find_if(unread.begin(), unread.end(),
                   [&](const loader::UnreadVariable& variable) { return variable.name == name; });
  if (found == unread.end()) {
    return "for a back end, which alone knows its options";
  }
  return found->meant.empty() ? "nothing reads it"
                              : "nothing reads it; meant " + found->meant + "?";
}

std::vector<Setting> settings_of(const Report& report) {
  std::vector<Setting> settings;
  std::vector<std::string> known;
  for (const loader::KnownVariable& variable : loader::known_variables()) {
    const std::string name = variable.name;
    if (name.find('<') == std::string::npos) {
      known.push_back(name);
      const auto value = loader::variable(variable.name);
      settings.push_back({name, value, effect_of_known(name, value.has_value(), report)});
    }
  }
  std::vector<std::string> backends;
  for (const BackendReport& backend : report.backends) {
    backends.emplace_back(backend.info.name);
  }
  std::vector<std::string> names = loader::variable_names();
  std::sort(names.begin(), names.end());
  const auto unread = loader::unread_variables(names, backends);
  for (const std::string& name : names) {
    if (name.starts_with("COLLET_") && std::find(known.begin(), known.end(), name) == known.end()) {
      settings.push_back({name, loader::variable(name.c_str()), effect_of_other(name, unread)});
    }
  }
  for (const std::string& native : report.native_variables) {
    const std::size_t equals = native.find('=');
    settings.push_back({native.substr(0, equals), native.substr(equals + 1),
                        "read by a driver, before Collet sees the devices"});
  }
  return settings;
}

std::string environment_text(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Setting& setting : settings_of(report)) {
    const std::string effect = setting.effect.empty() ? "" : " (" + clean(setting.effect) + ")";
    rows.push_back(
        {clean(setting.name), (setting.value ? "= " + clean(*setting.value) : "unset") + effect});
  }
  return aligned(rows);
}

// ---- programs -----------------------------------------------------------------------------------

std::string compiler_text(const collet_device_properties_t& device) {
  const std::string formats = std::string(" ") + device.program_formats + " ";
  const auto takes = [&](const char* format) {
    return formats.find(std::string(" ") + format + " ") != std::string::npos;
  };
  if (device.compiler[0] != '\0') {
    return std::string("by ") + device.compiler;
  }
  return takes(COLLET_FORMAT_HOST_SO) && !takes(COLLET_FORMAT_COLLET_C)
             ? "no C++ compiler for collet-c: install one, or set COLLET_HOST_CXX"
             : "";
}

std::string programs_text(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const BackendReport& backend : report.backends) {
    for (const DeviceReport& device : backend.devices) {
      if (device.properties.program_formats[0] != '\0') {
        rows.push_back({clean(device.properties.id), clean(device.properties.program_formats),
                        clean(compiler_text(device.properties))});
      }
    }
  }
  return aligned(rows) + " kept in " + cache_line() + "\n";
}

// ---- the whole ----------------------------------------------------------------------------------

std::string numbered(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string head = " " + std::to_string(i + 1) + ". ";
    // Lines of their own, as with a caret, stay as they are.
    const bool has_lines = items[i].find('\n') != std::string::npos;
    text += head +
            (has_lines ? indented(items[i], head.size())
                       : wrapped(clean(items[i]), kWidth - head.size(), head.size())) +
            "\n";
  }
  return text;
}

std::string conclusion(const Diagnosis& diagnosis) {
  if (diagnosis.to_do.empty()) {
    return "All is well: programs run on " + diagnosis.report.selected + ".\n";
  }
  const std::string runs = diagnosis.report.selected.empty()
                               ? "no device is selected"
                               : "programs run on " + diagnosis.report.selected;
  return "To do (" + runs + "):\n" + numbered(diagnosis.to_do);
}

}  // namespace

Diagnosis diagnose() {
  Diagnosis diagnosis;
  Warnings& warnings = take_log();
  diagnosis.report = make_report();
  {
    const std::lock_guard lock(warnings.mutex);
    diagnosis.warnings = warnings.lines;
  }
  diagnosis.to_do = find_to_do(diagnosis);
  return diagnosis;
}

std::string doctor_text(const Diagnosis& diagnosis) {
  const Report& report = diagnosis.report;
  const std::string none = " none\n";
  const bool devices = std::any_of(report.backends.begin(), report.backends.end(),
                                   [](const BackendReport& b) { return !b.devices.empty(); });
  return version_text() + "\nSearch\n " + indented(report.search, 1) +
         "\n\nCandidates for back ends\n" +
         (report.backends.empty() ? none : candidates_text(report)) + "\nDevices\n" +
         (report.backends.empty() ? none : device_table(report)) +
         (devices ? "\nDevice map\n" + map_table(report) : "") + "\nPrograms\n" +
         programs_text(report) + "\nEnvironment\n" + environment_text(report) + "\n" +
         conclusion(diagnosis);
}

std::string doctor_json(const Diagnosis& diagnosis) {
  Json json = json_report(diagnosis.report);
  Json& environment = json["environment"] = Json::array();
  for (const Setting& setting : settings_of(diagnosis.report)) {
    environment.push_back({{"name", setting.name},
                           {"value", setting.value ? Json(*setting.value) : Json(nullptr)},
                           {"effect", setting.effect}});
  }
  json["program_cache"] = cache_json();
  json["warnings"] = diagnosis.warnings;
  json["to_do"] = diagnosis.to_do;
  return json_text(json);
}

}  // namespace collet::cli
