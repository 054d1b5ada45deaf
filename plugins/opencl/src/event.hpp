// SPDX-License-Identifier: Apache-2.0
/** Events: the latest of their records. */
#pragma once

#include <collet/sdk/event.hpp>

#include "stream.hpp"

namespace collet::opencl {

using Event = plugin::Event<Stream, Record>;

/** The table of COLLET_INTERFACE_EVENT_V1. */
[[nodiscard]] const collet_plugin_event_interface_t* event_interface() noexcept;

}  // namespace collet::opencl
