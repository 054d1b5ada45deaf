// SPDX-License-Identifier: Apache-2.0
/** The operations of the device. */
#pragma once

#include <collet/plugin/ops.h>

namespace collet::cpu {

/** The table of COLLET_INTERFACE_OPS_V1. */
[[nodiscard]] const collet_plugin_ops_interface_t* ops_interface() noexcept;

}  // namespace collet::cpu
