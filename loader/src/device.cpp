// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "backend.hpp"
#include "error.hpp"
#include "interface_check.hpp"
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
  try {
    memory = need_table<collet_plugin_memory_interface_t>(root, backend_name, impl,
                                                          COLLET_INTERFACE_MEMORY_V1, "memory");
    stream = need_table<collet_plugin_stream_interface_t>(root, backend_name, impl,
                                                          COLLET_INTERFACE_STREAM_V1, "stream");
    event = need_table<collet_plugin_event_interface_t>(root, backend_name, impl,
                                                        COLLET_INTERFACE_EVENT_V1, "event");
    programs_ = find_table<collet_plugin_program_interface_t>(
        root, backend_name, impl, COLLET_INTERFACE_PROGRAM_V1, programs_reason_);
    ops_ = find_table<collet_plugin_ops_interface_t>(root, backend_name, impl,
                                                     COLLET_INTERFACE_OPS_V1, ops_reason_);
    native_pool_ = find_table<collet_plugin_pool_interface_t>(
        root, backend_name, impl, COLLET_INTERFACE_POOL_V1, native_pool_reason_);
    for (const auto kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED, COLLET_MEMORY_SHARED}) {
      traits[kind].struct_size = sizeof traits[kind];
      if (const auto status = memory->traits(impl, kind, &traits[kind]); status != COLLET_OK) {
        throw_plugin_error(status, backend_name);
      }
    }
    pools = std::make_unique<DeviceMemory>(*this, owner.memory_settings());
    plans = std::make_unique<PlanCache>(*this);
  } catch (...) {
    root.device_close(impl);
    throw;
  }
}

// Devices stay open until the process ends; only one whose opening failed is destroyed.
Device::~Device() = default;

const collet_plugin_program_interface_t& Device::programs() const {
  if (programs_ == nullptr) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(label()) + " does not run programs: " + programs_reason_, backend_name);
  }
  return *programs_;
}

const collet_plugin_ops_interface_t& Device::ops() const {
  if (ops_ == nullptr) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(label()) + " has no native operations: " + ops_reason_, backend_name);
  }
  return *ops_;
}

const collet_plugin_pool_interface_t& Device::native_pool() const {
  if (native_pool_ == nullptr) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(label()) + " has no pool of its own: " + native_pool_reason_,
                backend_name);
  }
  return *native_pool_;
}

}  // namespace collet::loader
