// SPDX-License-Identifier: Apache-2.0
/** The root table. */
#include <collet/sdk/plugin.hpp>

#include "device.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "ops.hpp"
#include "program.hpp"
#include "stream.hpp"

namespace collet::cpu {
namespace {

using plugin::guarded;
using plugin::to_handle;

collet_status_t device_count(std::uint32_t* out_count) {
  return guarded([&] { *out_count = System::instance().device_count(); });
}

collet_status_t device_properties(std::uint32_t index, collet_device_properties_t* out_properties) {
  return guarded(
      [&] { plugin::fill_struct(out_properties, System::instance().properties(index)); });
}

collet_status_t device_open(std::uint32_t index, collet_plugin_device_t** out_device) {
  return guarded([&] { *out_device = to_handle(&System::instance().device(index)); });
}

void device_close(collet_plugin_device_t*) {
  // Streams that were destroyed may still be at work on the device, which lives with the process.
}

/** The table of an id, or nullptr with the reason. */
const void* interface_of(collet_interface_t id, const char*& out_reason) {
  switch (id) {
    case COLLET_INTERFACE_MEMORY_V1:
      return memory_interface();
    case COLLET_INTERFACE_STREAM_V1:
      return stream_interface();
    case COLLET_INTERFACE_EVENT_V1:
      return event_interface();
    case COLLET_INTERFACE_PROGRAM_V1:
      return program_interface();
    case COLLET_INTERFACE_OPS_V1:
      return ops_interface();
    case COLLET_INTERFACE_POOL_V1:
      out_reason = "the processor has no memory but the host's, whose allocator knows no streams";
      return nullptr;
    case COLLET_INTERFACE_GRAPH_X1:
      out_reason = "the processor has no graphs of its own";
      return nullptr;
    case COLLET_INTERFACE_PEER_V1:
      out_reason = "all devices of the processor share the host's memory";
      return nullptr;
    default:
      out_reason = "the cpu plugin does not implement this interface";
      return nullptr;
  }
}

collet_status_t device_interface(collet_plugin_device_t*, collet_interface_t id,
                                 const void** out_table, const char** out_reason) {
  return guarded([&] {
    const char* reason = "";
    if (const void* table = interface_of(id, reason)) {
      *out_table = table;
      return;
    }
    *out_reason = reason;
    throw plugin::Error(COLLET_ERROR_UNSUPPORTED, reason);
  });
}

constexpr collet_plugin_t kPlugin = {sizeof(collet_plugin_t), COLLET_ABI_VERSION, "cpu",
                                     COLLET_VERSION_TEXT,     "Collet",           device_count,
                                     device_properties,       device_open,        device_close,
                                     device_interface};

}  // namespace
}  // namespace collet::cpu

COLLET_EXPORT_PLUGIN(collet::cpu::kPlugin)
