// SPDX-License-Identifier: Apache-2.0
// The functions of collet/config.h.
#include <collet/config.h>

#include "configuration.hpp"
#include "descriptor.hpp"
#include "error.hpp"
#include "process.hpp"

namespace collet::loader {
namespace {

Configuration read_configuration(const collet_config_t* config) {
  const collet_config_t given = read_descriptor(config, COLLET_STRUCT_CONFIG, "config");
  if (const std::uint32_t level = number_of(given.log_level); level > COLLET_LOG_TRACE) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "config: log_level is " + std::to_string(level) + ", which is no level");
  }
  Configuration result;
  if (given.plugin_path != nullptr) {
    result.plugin_path = given.plugin_path;
  }
  if (given.device != nullptr) {
    result.device = given.device;
  }
  if (given.visible_devices != nullptr) {
    result.visible_devices = given.visible_devices;
  }
  if (given.memory != nullptr) {
    result.memory = given.memory;
  }
  result.log_callback = given.log_callback;
  result.log_user_data = given.log_user_data;
  result.log_level = given.log_level;
  return result;
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_configure(const collet_config_t* config) {
  return guarded(__func__, [&] {
    require_entry();
    configure(read_configuration(config));
  });
}
