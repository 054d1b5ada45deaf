// SPDX-License-Identifier: Apache-2.0
/** Programs in the formats "host-so" and "collet-c". */
#pragma once

#include <collet/plugin/program.h>

namespace collet::cpu {

/** The table of COLLET_INTERFACE_PROGRAM_V1. */
[[nodiscard]] const collet_plugin_program_interface_t* program_interface() noexcept;

}  // namespace collet::cpu
