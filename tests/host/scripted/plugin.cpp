// SPDX-License-Identifier: Apache-2.0
// The root table of a scripted back end, SCRIPTED_NAME: two devices that do what Script says.
#include <cstdio>
#include <cstring>

#include "objects.hpp"

namespace collet::test {

const collet_host_t* scripted_host = nullptr;

collet_status_t fail(const Failure& failure) {
  if (failure.message != nullptr) {
    const auto* errors = static_cast<const collet_host_error_t*>(
        scripted_host->get_interface(scripted_host, COLLET_HOST_ERROR_V1));
    errors->report(scripted_host, failure.status, failure.native_code, failure.native_name,
                   failure.message);
  }
  return failure.status;
}

namespace {

collet_status_t device_count(std::uint32_t* out_count) {
  *out_count = 2;
  return COLLET_OK;
}

collet_status_t device_properties(std::uint32_t index, collet_device_properties_t* out_properties) {
  const collet_struct_t head = out_properties->base;
  *out_properties = {};
  out_properties->base = head;
  std::snprintf(out_properties->name, sizeof out_properties->name, "Scripted %u", index);
  if (index == 0) {
    std::strcpy(out_properties->program_formats, "script");
  }
  out_properties->kind = COLLET_DEVICE_KIND_SIMULATED;
  out_properties->flags = COLLET_DEVICE_HOST_VISIBLE;
  out_properties->numa_node = -1;
  out_properties->memory_bytes = std::uint64_t{1} << 20;
  out_properties->local_memory_bytes = 4096;
  out_properties->max_group_items = 256;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out_properties->max_group_size[axis] = 128;
    // Along x the device does not tell.
    out_properties->max_grid_size[axis] = axis == 0 ? 0 : 1000;
  }
  out_properties->priority_least = 2;
  out_properties->priority_greatest = -3;
  return COLLET_OK;
}

collet_status_t device_open(std::uint32_t index, collet_plugin_device_t** out_device) {
  return scripted("device.open", std::to_string(index), [&] {
    *out_device = new collet_plugin_device_t{index};
    return COLLET_OK;
  });
}

void device_close(collet_plugin_device_t* device) { delete device; }

// Device 1 has neither programs nor operations, and no pool; it copies to others by the host.
collet_status_t device_interface(collet_plugin_device_t* device, collet_interface_t id,
                                 const void** out_table, const char** out_reason) {
  switch (id) {
    case COLLET_INTERFACE_MEMORY_V1:
      *out_table = &kMemory;
      return COLLET_OK;
    case COLLET_INTERFACE_STREAM_V1:
      *out_table = &kStream;
      return COLLET_OK;
    case COLLET_INTERFACE_EVENT_V1:
      *out_table = &kEvent;
      return COLLET_OK;
    case COLLET_INTERFACE_PROGRAM_V1:
      *out_table = &kProgram;
      break;
    case COLLET_INTERFACE_OPS_V1:
      *out_table = &kOps;
      break;
    case COLLET_INTERFACE_POOL_V1:
      *out_table = &kPool;
      break;
    case COLLET_INTERFACE_PEER_V1:
      *out_table = &kPeer;
      break;
    default:
      *out_table = nullptr;
      break;
  }
  if (*out_table != nullptr && device->index == 0) {
    return COLLET_OK;
  }
  *out_table = nullptr;
  *out_reason = "device 1 was built without it";
  return COLLET_ERROR_UNSUPPORTED;
}

constexpr collet_plugin_t kRoot{sizeof(collet_plugin_t),
                                COLLET_ABI_VERSION,
                                SCRIPTED_NAME,
                                "1.0",
                                "Collet's tests",
                                device_count,
                                device_properties,
                                device_open,
                                device_close,
                                device_interface};

}  // namespace
}  // namespace collet::test

collet_status_t collet_plugin_query_v1(const collet_host_t* host,
                                       const collet_plugin_t** out_plugin) {
  collet::test::scripted_host = host;
  *out_plugin = &collet::test::kRoot;
  return COLLET_OK;
}
