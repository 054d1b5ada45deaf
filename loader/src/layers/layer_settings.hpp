// SPDX-License-Identifier: Apache-2.0
// COLLET_LAYERS and COLLET_LAUNCH_BLOCKING: what lies between the program and the plugins.
#pragma once

#include "selector.hpp"

namespace collet::loader {

struct LayerSettings {
  // Each command is waited for.
  bool is_launch_blocking = false;
  // Hazards are looked for.
  bool is_validating = false;
};

// Both throw MALFORMED, with a caret under the fault.
void parse_layers(const Selector& written, LayerSettings& settings);
void parse_launch_blocking(const Selector& written, LayerSettings& settings);

// The settings of the environment. Throws as the above.
LayerSettings layer_settings_from_environment();

}  // namespace collet::loader
