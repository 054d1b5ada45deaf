// SPDX-License-Identifier: Apache-2.0
/** Copies from device to device. */
#pragma once

#include <collet/plugin/peer.h>

namespace collet::sim {

/** The table of COLLET_INTERFACE_PEER_V1. */
[[nodiscard]] const collet_plugin_peer_interface_t* peer_interface() noexcept;

}  // namespace collet::sim
