// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "backend.hpp"
#include "error.hpp"
#include "interface_check.hpp"
#include "layers/launch_blocking.hpp"
#include "layers/layer_settings.hpp"
#include "layers/validate/validate.hpp"
#include "plan_cache.hpp"
#include "pool/device_memory.hpp"
#include "process.hpp"

namespace collet::loader {
namespace {

// The checked table of an interface, or nullptr and the plugin's reason.
template <class Table>
const Table* find_table(const collet_plugin_t& root, const std::string& backend,
                        collet_plugin_device_t* device, collet_interface_t id,
                        std::string& reason) {
  const void* table = nullptr;
  const char* text = nullptr;
  const collet_status_t status = root.device_interface(device, id, &table, &text);
  if (status == COLLET_ERROR_UNSUPPORTED) {
    reason = text != nullptr ? text : "the plugin gives no reason";
    return nullptr;
  }
  if (status != COLLET_OK) {
    throw_plugin_error(status, backend);
  }
  check_complete(id, table, backend);
  return static_cast<const Table*>(table);
}

template <class Table>
const Table* need_table(const collet_plugin_t& root, const std::string& backend,
                        collet_plugin_device_t* device, collet_interface_t id, const char* name) {
  std::string reason;
  const auto* table = find_table<Table>(root, backend, device, id, reason);
  if (table == nullptr) {
    throw Error(COLLET_ERROR_INCOMPATIBLE,
                "the plugin of back end \"" + backend + "\" lacks the mandatory interface \"" +
                    name + "\": " + reason,
                backend);
  }
  return table;
}

}  // namespace

Device::Device(Backend& owner, std::uint32_t index)
    : backend(owner), backend_name(owner.name()), label_(owner.device_label(index)) {
  const collet_plugin_t& root = owner.root();
  const CallbackScope scope;
  properties = owner.properties(index);
  if (const auto status = root.device_open(owner.physical_index(index), &impl);
      status != COLLET_OK) {
    throw_plugin_error(status, backend_name);
  }
  collet_plugin_device_t* const opened = impl;
  try {
    find_tables(root);
    add_layers(owner.layer_settings());
    for (const auto kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED, COLLET_MEMORY_SHARED}) {
      traits[kind].struct_size = sizeof traits[kind];
      if (const auto status = memory->traits(impl, kind, &traits[kind]); status != COLLET_OK) {
        throw_plugin_error(status, backend_name);
      }
    }
    pools = std::make_unique<DeviceMemory>(*this, owner.memory_settings());
    plans = std::make_unique<PlanCache>(*this);
  } catch (...) {
    root.device_close(opened);
    throw;
  }
}

void Device::find_tables(const collet_plugin_t& root) {
  memory = need_table<collet_plugin_memory_interface_t>(root, backend_name, impl,
                                                        COLLET_INTERFACE_MEMORY_V1, "memory");
  stream = need_table<collet_plugin_stream_interface_t>(root, backend_name, impl,
                                                        COLLET_INTERFACE_STREAM_V1, "stream");
  event = need_table<collet_plugin_event_interface_t>(root, backend_name, impl,
                                                      COLLET_INTERFACE_EVENT_V1, "event");
  user_stream = stream;
  user_event = event;
  program = find_table<collet_plugin_program_interface_t>(
      root, backend_name, impl, COLLET_INTERFACE_PROGRAM_V1, programs_reason_);
  op = find_table<collet_plugin_ops_interface_t>(root, backend_name, impl, COLLET_INTERFACE_OPS_V1,
                                                 ops_reason_);
  pool = find_table<collet_plugin_pool_interface_t>(root, backend_name, impl,
                                                    COLLET_INTERFACE_POOL_V1, native_pool_reason_);
  std::string no_peer_reason;
  peer = find_table<collet_plugin_peer_interface_t>(root, backend_name, impl,
                                                    COLLET_INTERFACE_PEER_V1, no_peer_reason);
}

// Each over what was there before: the last one is the first that a call comes to.
void Device::add_layers(const LayerSettings& settings) {
  const auto add = [&](Tables (*layer)(LayerDevice&) noexcept) {
    layers_.push_back(
        std::make_unique<LayerDevice>(LayerDevice{static_cast<const Tables&>(*this)}));
    static_cast<Tables&>(*this) = layer(*layers_.back());
  };
  if (settings.is_launch_blocking) {
    add(launch_blocking);
  }
  if (settings.is_validating) {
    add(validate_layer);
    watch = &validate_watch();
  }
}

// Devices stay open until the process ends; only one whose opening failed is destroyed.
Device::~Device() = default;

const collet_plugin_program_interface_t& Device::programs() const {
  if (program == nullptr) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(label()) + " does not run programs: " + programs_reason_, backend_name);
  }
  return *program;
}

const collet_plugin_ops_interface_t& Device::ops() const {
  if (op == nullptr) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(label()) + " has no native operations: " + ops_reason_, backend_name);
  }
  return *op;
}

const collet_plugin_pool_interface_t& Device::native_pool() const {
  if (pool == nullptr) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(label()) + " has no pool of its own: " + native_pool_reason_,
                backend_name);
  }
  return *pool;
}

}  // namespace collet::loader
