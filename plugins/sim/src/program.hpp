// SPDX-License-Identifier: Apache-2.0
/** Programs in the format "host-so". */
#pragma once

#include <collet/plugin/program.h>

namespace collet::sim {

/** The table of COLLET_INTERFACE_PROGRAM_V1. */
[[nodiscard]] const collet_plugin_program_interface_t* program_interface() noexcept;

}  // namespace collet::sim
