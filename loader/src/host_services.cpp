// SPDX-License-Identifier: Apache-2.0
#include "host_services.hpp"

#include <collet/base.h>

#include <cctype>
#include <utility>

#include "environment.hpp"
#include "error.hpp"
#include "log.hpp"

namespace collet::loader {
namespace {

// Plugins get their table as const; the options that were asked for are kept behind it.
HostServices& services_of(const collet_host_t* host) {
  return const_cast<HostServices&>(static_cast<const HostServices&>(*host));
}

void write_log(const collet_host_t* host, collet_log_level_t level, const char* text) noexcept {
  if (!log_enabled(level) || text == nullptr) {
    return;
  }
  try {
    log(level, "[" + services_of(host).backend() + "] " + text);
  } catch (...) {
    // Out of memory: the line is lost, the plugin's call goes on.
    return;
  }
}

std::uint32_t is_log_enabled(const collet_host_t* /*host*/, collet_log_level_t level) noexcept {
  return log_enabled(level) ? 1 : 0;
}

void report_error(const collet_host_t* /*host*/, collet_status_t status, std::int64_t native_code,
                  const char* native_name, const char* message) noexcept {
  keep_report(status, native_code, native_name, message);
}

const char* get_option(const collet_host_t* host, const char* name) noexcept {
  try {
    return name != nullptr ? services_of(host).option(name) : nullptr;
  } catch (...) {
    // Out of memory: as if the option were not set.
    return nullptr;
  }
}

constexpr collet_host_log_t kLog{sizeof(collet_host_log_t), 0, write_log, is_log_enabled};
constexpr collet_host_error_t kError{sizeof(collet_host_error_t), 0, report_error};
constexpr collet_host_options_t kOptions{sizeof(collet_host_options_t), 0, get_option};

const void* find_interface(const collet_host_t* /*host*/, collet_host_interface_t id) noexcept {
  switch (id) {
    case COLLET_HOST_LOG_V1:
      return &kLog;
    case COLLET_HOST_ERROR_V1:
      return &kError;
    case COLLET_HOST_OPTIONS_V1:
      return &kOptions;
    default:
      return nullptr;
  }
}

}  // namespace

HostServices::HostServices(std::string backend, std::map<std::string, std::string> defaults)
    : collet_host_t{sizeof(collet_host_t), COLLET_ABI_VERSION, collet_version(), find_interface},
      backend_(std::move(backend)),
      defaults_(std::move(defaults)) {}

const char* HostServices::option(const char* name) {
  const std::lock_guard lock(mutex_);
  auto found = options_.find(name);
  if (found == options_.end()) {
    std::optional<std::string> value = variable(option_variable(backend_, name).c_str());
    if (const auto given = defaults_.find(name); !value && given != defaults_.end()) {
      value = given->second;
    }
    found = options_.emplace(name, std::move(value)).first;
  }
  return found->second ? found->second->c_str() : nullptr;
}

std::string option_variable(std::string_view backend, std::string_view option) {
  std::string name = "COLLET_";
  for (const std::string_view part : {backend, std::string_view("_"), option}) {
    for (const char c : part) {
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return name;
}

}  // namespace collet::loader
