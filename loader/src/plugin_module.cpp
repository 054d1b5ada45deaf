// SPDX-License-Identifier: Apache-2.0
#include "plugin_module.hpp"

#include "interface_check.hpp"
#include "library.hpp"

namespace collet::loader {
namespace {

void check(collet_status_t status, const std::string& backend) {
  if (status != COLLET_OK) {
    throw_plugin_error(status, backend);
  }
}

}  // namespace

Error exception_error(const std::string& backend, const std::string& what) {
  return {COLLET_ERROR_INTERNAL,
          "back end \"" + backend + "\" let an exception out of a C function" +
              (what.empty() ? "" : ": " + what),
          backend};
}

void PluginModule::load() {
  query_ = call_plugin(backend_, [&] {
    return reinterpret_cast<collet_plugin_query_fn_t>(
        load_symbol(path_, COLLET_PLUGIN_QUERY_SYMBOL));
  });
}

void PluginModule::negotiate() {
  const collet_plugin_t* root = nullptr;
  check(call_plugin(backend_, [&] { return query_(&host_, &root); }), backend_);
  check_root(root, backend_);
  root_ = root;
}

void PluginModule::count() {
  std::uint32_t count = 0;
  check(call_plugin(backend_, [&] { return root_->device_count(&count); }), backend_);
  if (count > kMaxDevices) {
    throw Error(
        COLLET_ERROR_INTERNAL,
        "back end \"" + backend_ + "\" says that it has " + std::to_string(count) + " devices",
        backend_);
  }
  device_count_ = count;
}

collet_device_properties_t PluginModule::properties(std::uint32_t index) const {
  collet_device_properties_t result{};
  result.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof result, nullptr};
  check(call_plugin(backend_, [&] { return root_->device_properties(index, &result); }), backend_);
  mend(result);
  return result;
}

PluginFacts PluginModule::facts() const {
  PluginFacts facts;
  facts.version = root_->version;
  facts.vendor = root_->vendor;
  for (std::uint32_t index = 0; index < device_count_; ++index) {
    DeviceFacts& device = facts.devices.emplace_back();
    try {
      device.properties = properties(index);
    } catch (const Error& error) {
      device.failure.emplace(error);
    }
  }
  return facts;
}

}  // namespace collet::loader
