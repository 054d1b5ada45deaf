// SPDX-License-Identifier: Apache-2.0
// What collet_configure() sets, until the first use takes it.
#pragma once

#include <collet/config.h>

#include <optional>
#include <string>

#include "discovery.hpp"
#include "selector.hpp"

namespace collet::loader {

struct Configuration {
  std::optional<std::string> plugin_path;
  std::optional<std::string> device;
  std::optional<std::string> visible_devices;
  std::optional<std::string> memory;
  collet_log_callback_t log_callback = nullptr;
  void* log_user_data = nullptr;
  collet_log_level_t log_level = COLLET_LOG_OFF;

  // Where back ends are looked for: as configured, else by COLLET_PLUGIN_PATH, else nothing.
  [[nodiscard]] std::optional<PluginPath> plugin_folders() const;

  // Which devices exist: as configured, else by COLLET_VISIBLE_DEVICES, else nothing.
  [[nodiscard]] std::optional<Selector> visible_devices_text() const;

  // How the pools work: as configured, else by COLLET_MEMORY, else nothing.
  [[nodiscard]] std::optional<Selector> memory_text() const;

  // The default device: as configured, else by COLLET_DEVICE, else "auto".
  [[nodiscard]] Selector default_device() const;
};

// Throws INVALID_STATE if it was called before, or the configuration was taken.
void configure(Configuration configuration);

// Ends the time in which the process can be configured.
Configuration take_configuration();

}  // namespace collet::loader
