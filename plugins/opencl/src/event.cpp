// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

namespace collet::opencl {

const collet_plugin_event_interface_t* event_interface() noexcept {
  return &plugin::EventTable<Stream, Record>::kTable;
}

}  // namespace collet::opencl
