// SPDX-License-Identifier: Apache-2.0
// An open device: its plugin object, its tables, and what the host keeps per device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "handle.hpp"
#include "layers/forward.hpp"

namespace collet::loader {

class Backend;
class BufferWatch;
class DeviceMemory;
class PlanCache;
struct LayerSettings;

struct Device : Tables {
  static constexpr Kind kKind = Kind::kDevice;

  // Opens the device through the root table and checks its tables for completeness. Throws Error.
  Device(Backend& owner, std::uint32_t index);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // The table of an optional interface; throws UNSUPPORTED with the plugin's reason.
  [[nodiscard]] const collet_plugin_program_interface_t& programs() const;
  [[nodiscard]] const collet_plugin_ops_interface_t& ops() const;
  [[nodiscard]] const collet_plugin_pool_interface_t& native_pool() const;

  // How messages name the device: "cpu:0", or "cuda:0 (physical cuda:2)".
  [[nodiscard]] const char* label() const noexcept { return label_.c_str(); }

  // The handle that names this device.
  [[nodiscard]] collet_device_t* handle() const noexcept { return handle_; }
  void set_handle(collet_device_t* handle) noexcept { handle_ = handle; }

  Backend& backend;
  const std::string backend_name;
  collet_device_properties_t properties{};
  collet_memory_traits_t traits[3]{};  // by collet_memory_kind_t
  // Is told of buffers; nullptr where no layer asks.
  BufferWatch* watch = nullptr;
  std::unique_ptr<DeviceMemory> pools;
  std::unique_ptr<PlanCache> plans;

 private:
  void find_tables(const collet_plugin_t& root);
  void add_layers(const LayerSettings& settings);

  const std::string label_;
  collet_device_t* handle_ = nullptr;
  // What the layers stand on.
  std::vector<std::unique_ptr<LayerDevice>> layers_;
  std::string programs_reason_;
  std::string ops_reason_;
  std::string native_pool_reason_;
};

}  // namespace collet::loader
