// SPDX-License-Identifier: Apache-2.0
// What besides its own file decides which devices a plugin finds: drivers, and the environment.
#pragma once

#include <string>
#include <string_view>

namespace collet::loader {

// A text that differs, most likely, when a driver was installed, removed or loaded, or the machine
// was started anew; and where this process may use other processors.
std::string machine_state();

// The variables of the environment that drivers and runtimes read, and the options of a back end,
// sorted, one in a line.
std::string device_environment(std::string_view backend);

}  // namespace collet::loader
