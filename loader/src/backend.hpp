// SPDX-License-Identifier: Apache-2.0
// One candidate for a back end: found by discovery, loaded at its first use, kept for good.
#pragma once

#include <collet/device.h>
#include <collet/plugin.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "discovery.hpp"
#include "error.hpp"
#include "host_services.hpp"

namespace collet::loader {

struct Device;

class Backend {
 public:
  explicit Backend(const Candidate& candidate);
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // The root table. Loads, negotiates, checks and counts the devices at the first call; throws the
  // same Error at every later call if that fails. Of several first calls at once, one loads and the
  // others wait; a call that the plugin makes meanwhile is refused at the C boundary.
  const collet_plugin_t& root();

  // Number of devices; throws Error where the back end is unusable.
  std::uint32_t device_count();

  // Describes a device without opening it. Throws NO_SUCH_DEVICE for an index out of range.
  collet_device_properties_t properties(std::uint32_t index);

  // The open device of that index and the handle that names it, opened at the first call.
  collet_device_t* open(std::uint32_t index);

  // How far this back end got, without loading it. The texts live as long as the process.
  [[nodiscard]] collet_backend_info_t info() const noexcept;

  // "cpu has 1 device: cpu:0"
  std::string devices_text();

 private:
  void load();
  void query_plugin();
  void count_devices();
  // Keeps why the back end is unusable.
  void refuse(const Error& error);

  const std::string name_;
  const std::string path_;
  const std::string origin_;
  HostServices host_;

  // Serializes loading, and opening. What load() leaves is constant once `state_` says so.
  std::mutex mutex_;
  std::atomic<collet_backend_state_t> state_{COLLET_BACKEND_FOUND};
  std::atomic<collet_backend_phase_t> phase_;
  std::string version_;
  std::string vendor_;
  std::optional<Error> failure_;
  const collet_plugin_t* root_ = nullptr;
  std::uint32_t device_count_ = 0;
  std::vector<collet_device_t*> devices_;
};

}  // namespace collet::loader
