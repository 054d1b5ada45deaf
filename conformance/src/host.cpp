// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace collet::conformance {
namespace {

thread_local Report report_of_thread;

void report(const collet_host_t*, collet_status_t status, std::int64_t native_code,
            const char* native_name, const char* message) {
  report_of_thread.status = status;
  report_of_thread.native_code = native_code;
  report_of_thread.native_name = native_name == nullptr ? "" : native_name;
  report_of_thread.message = message == nullptr ? "" : message;
  ++report_of_thread.count;
}

std::uint32_t is_log_enabled(const collet_host_t*, collet_log_level_t level) {
  return level <= COLLET_LOG_INFO ? 1 : 0;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

const Report& last_report() noexcept { return report_of_thread; }

Host& Host::create(const std::string& backend, std::uint32_t abi_version,
                   std::uint32_t struct_size) {
  // A plugin may use it until the very end, so it is never destroyed.
  return *new Host(backend, abi_version, struct_size);
}

Host::Host(const std::string& backend, std::uint32_t abi_version, std::uint32_t struct_size)
    : wide_{{struct_size, abi_version, "collet-conformance", get_interface}, {}, this},
      prefix_("COLLET_" + upper(backend) + "_") {
  for (std::uint64_t& field : wide_.newer_fields) field = UINT64_MAX;
}

Host& Host::of(const collet_host_t* host) noexcept {
  return *reinterpret_cast<const Wide*>(host)->owner;
}

const void* Host::get_interface(const collet_host_t*, collet_host_interface_t id) {
  static const collet_host_log_t kLog = {sizeof(kLog), 0, write_log, is_log_enabled};
  static const collet_host_error_t kError = {sizeof(kError), 0, report};
  static const collet_host_options_t kOptions = {sizeof(kOptions), 0, get_option};
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

void Host::write_log(const collet_host_t*, collet_log_level_t, const char* text) {
  // In the process of a case this is kept with its result.
  dprintf(STDERR_FILENO, "%s\n", text);
}

const char* Host::get_option(const collet_host_t* host, const char* name) {
  return std::getenv((of(host).prefix_ + upper(name)).c_str());
}

}  // namespace collet::conformance
