// SPDX-License-Identifier: Apache-2.0
// The functions of collet/device.h.
#include <collet/device.h>

#include "backend.hpp"
#include "descriptor.hpp"
#include "device.hpp"
#include "error.hpp"
#include "pool/device_memory.hpp"
#include "process.hpp"
#include "registry.hpp"
#include "selection.hpp"

#include "dispatch.hpp"

namespace collet::loader {
namespace {

// Plain pointer: nothing runs when a thread ends.
thread_local collet_device_t* current_device = nullptr;

Backend& listed_backend(const char* name) {
  Registry& registry = Registry::usable();
  Backend& backend = registry.get(name);
  registry.prepare_listing();
  return backend;
}

collet_device_t* default_device() { return Registry::usable().default_device(); }

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_backend_count(uint32_t* out_count) {
  clear_out(out_count);
  return guarded(__func__, [&] {
    require_entry();
    require(out_count, "out_count");
    *out_count = static_cast<uint32_t>(Registry::instance().ledger().size());
  });
}

collet_status_t collet_backend_info(uint32_t index, collet_backend_info_t* out_info) {
  return guarded(__func__, [&] {
    prepare_out(out_info, COLLET_STRUCT_BACKEND_INFO, "out_info");
    require_entry();
    Registry::instance().note_listing();
    const auto& ledger = Registry::instance().ledger();
    if (index >= ledger.size()) {
      throw Error(COLLET_ERROR_OUT_OF_RANGE, "there is no candidate " + std::to_string(index) +
                                                 "; collet_backend_count() is " +
                                                 std::to_string(ledger.size()));
    }
    write_out(ledger[index]->info(), out_info);
  });
}

collet_status_t collet_backend_search_text(const char** out_text) {
  clear_out(out_text);
  return guarded(__func__, [&] {
    require_entry();
    require(out_text, "out_text");
    *out_text = Registry::instance().search_text().c_str();
  });
}

collet_status_t collet_device_count(const char* backend, uint32_t* out_count) {
  clear_out(out_count);
  return guarded(__func__, [&] {
    require_entry();
    require(backend, "backend");
    require(out_count, "out_count");
    *out_count = listed_backend(backend).device_count();
  });
}

collet_status_t collet_device_describe(const char* backend, uint32_t index,
                                       collet_device_properties_t* out_properties) {
  return guarded(__func__, [&] {
    prepare_out(out_properties, COLLET_STRUCT_DEVICE_PROPERTIES, "out_properties");
    require_entry();
    require(backend, "backend");
    write_out(listed_backend(backend).properties(index), out_properties);
  });
}

collet_status_t collet_device_open(const char* selector, collet_device_t** out_device) {
  clear_out(out_device);
  return guarded(__func__, [&] {
    require_entry();
    require(selector, "selector");
    require(out_device, "out_device");
    *out_device = open_selected(Registry::usable(), {"selector", selector});
  });
}

collet_status_t collet_device_open_default(collet_device_t** out_device) {
  clear_out(out_device);
  return guarded(__func__, [&] {
    require_entry();
    require(out_device, "out_device");
    *out_device = default_device();
  });
}

collet_status_t collet_device_properties(collet_device_t* device,
                                         collet_device_properties_t* out_properties) {
  return guarded(__func__, [&] {
    prepare_out(out_properties, COLLET_STRUCT_DEVICE_PROPERTIES, "out_properties");
    require_entry();
    write_out(need("collet_device_properties", device).properties, out_properties);
  });
}

collet_status_t collet_device_memory_info(collet_device_t* device, uint64_t* out_free_bytes,
                                          uint64_t* out_total_bytes) {
  clear_out(out_free_bytes);
  clear_out(out_total_bytes);
  return guarded(__func__, [&] {
    require_entry();
    require(out_free_bytes, "out_free_bytes");
    require(out_total_bytes, "out_total_bytes");
    const Device& on = need("collet_device_memory_info", device);
    on.pools->poll();
    uint64_t free_bytes = 0;
    uint64_t total_bytes = 0;
    const auto status = on.memory->info(on.impl, &free_bytes, &total_bytes);
    if (status != COLLET_OK) {
      throw_plugin_error(status, on.backend_name);
    }
    *out_free_bytes = free_bytes;
    *out_total_bytes = total_bytes;
  });
}

collet_status_t collet_current_device_set(collet_device_t* device) {
  return guarded(__func__, [&] {
    require_entry();
    if (device != nullptr) {
      need("collet_current_device_set", device);
    }
    current_device = device;
  });
}

collet_status_t collet_current_device_get(collet_device_t** out_device) {
  clear_out(out_device);
  return guarded(__func__, [&] {
    require_entry();
    require(out_device, "out_device");
    *out_device = current_device != nullptr ? current_device : default_device();
  });
}
