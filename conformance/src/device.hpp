// SPDX-License-Identifier: Apache-2.0
/** An open device and its tables. */
#pragma once

#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/peer.h>
#include <collet/plugin/pool.h>
#include <collet/plugin/program.h>
#include <collet/plugin/stream.h>

#include <cstdint>
#include <string>
#include <vector>

#include "case.hpp"
#include "plugin.hpp"
#include "structs.hpp"

namespace collet::conformance {

class Device {
 public:
  /** Opens it; a failure ends the case. */
  Device(const Plugin& plugin, std::uint32_t index);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] const Plugin& plugin() const noexcept { return plugin_; }
  [[nodiscard]] collet_plugin_device_t* handle() const noexcept { return handle_; }

  [[nodiscard]] const collet_plugin_memory_interface_t& memory() const noexcept { return *memory_; }
  [[nodiscard]] const collet_plugin_stream_interface_t& stream() const noexcept { return *stream_; }
  [[nodiscard]] const collet_plugin_event_interface_t& event() const noexcept { return *event_; }
  /** Of a case that needs programs. */
  [[nodiscard]] const collet_plugin_program_interface_t& program() const noexcept {
    return *program_;
  }
  /** Of a case that needs operations. */
  [[nodiscard]] const collet_plugin_ops_interface_t& ops() const noexcept { return *ops_; }
  /** Of a case that needs a pool. */
  [[nodiscard]] const collet_plugin_pool_interface_t& pool() const noexcept { return *pool_; }
  /** Of a case that needs peers. */
  [[nodiscard]] const collet_plugin_peer_interface_t& peer() const noexcept { return *peer_; }

  [[nodiscard]] const collet_device_properties_t& properties() const noexcept {
    return properties_;
  }
  [[nodiscard]] collet_memory_traits_t traits(collet_memory_kind_t kind) const;

  /**
   * Ends the case as not supported if the device declares to lack the capability and the calls
   * agree; as failed if they do not.
   */
  void require(Capability capability) const;

 private:
  template <class Table>
  const Table* interface_of(collet_interface_t id, const char* name);
  /** nullptr and the reason where the device lacks it. */
  template <class Table>
  const Table* optional_interface(collet_interface_t id, std::string& out_reason);
  void require_memory(collet_memory_kind_t kind, std::string_view name) const;
  void require_programs(const std::vector<collet_program_image_t>& images) const;

  const Plugin& plugin_;
  collet_plugin_device_t* handle_ = nullptr;
  collet_device_properties_t properties_ = make_struct<collet_device_properties_t>();
  const collet_plugin_memory_interface_t* memory_ = nullptr;
  const collet_plugin_stream_interface_t* stream_ = nullptr;
  const collet_plugin_event_interface_t* event_ = nullptr;
  const collet_plugin_program_interface_t* program_ = nullptr;
  const collet_plugin_ops_interface_t* ops_ = nullptr;
  const collet_plugin_pool_interface_t* pool_ = nullptr;
  const collet_plugin_peer_interface_t* peer_ = nullptr;
  std::string program_reason_;
  std::string ops_reason_;
  std::string pool_reason_;
  std::string peer_reason_;
};

/** Whether `formats`, names separated by spaces, has a format. */
[[nodiscard]] bool has_format(std::string_view formats, std::string_view wanted);

}  // namespace collet::conformance
