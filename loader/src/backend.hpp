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
#include "visible_devices.hpp"

namespace collet::loader {

struct Device;

class Backend {
 public:
  // `visible` must outlive this.
  Backend(const Candidate& candidate, const VisibleDevices& visible);
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // The root table. Loads, negotiates, checks and counts the devices at the first call; throws the
  // same Error at every later call if that fails. Of several first calls at once, one loads and the
  // others wait; a call that the plugin makes meanwhile is refused at the C boundary.
  const collet_plugin_t& root();

  // Number of visible devices; throws Error where the back end is unusable. One that has none by
  // COLLET_VISIBLE_DEVICES is not loaded for the answer. All indices below are of visible devices.
  std::uint32_t device_count();

  // The plugin's own index of a device. The index must be in range.
  [[nodiscard]] std::uint32_t physical_index(std::uint32_t index) const {
    return visible_indices_.at(index);
  }

  // "cuda:0", or "cuda:0 (physical cuda:2)" where COLLET_VISIBLE_DEVICES has renumbered it.
  [[nodiscard]] std::string device_label(std::uint32_t index) const;

  // True if COLLET_VISIBLE_DEVICES names devices that this back end does not have: a mistake that
  // no other back end may stand in for.
  [[nodiscard]] bool is_misconfigured() const noexcept { return misconfigured_.load(); }

  // Describes a device without opening it. Throws NO_SUCH_DEVICE for an index out of range.
  collet_device_properties_t properties(std::uint32_t index);

  // The open device of that index and the handle that names it, opened at the first call.
  collet_device_t* open(std::uint32_t index);

  // How far this back end got, without loading it. The texts live as long as the process.
  [[nodiscard]] collet_backend_info_t info() const noexcept;

  // "cpu has 1 device: cpu:0", and how its devices are renumbered.
  std::string devices_text();

 private:
  void load();
  void query_plugin();
  void count_devices();
  void find_visible_devices();
  collet_device_properties_t physical_properties(std::uint32_t physical);
  // Keeps why the back end is unusable.
  void refuse(const Error& error);

  const std::string name_;
  const std::string path_;
  const std::string origin_;
  const VisibleDevices& visible_;
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
  std::vector<std::uint32_t> visible_indices_;
  std::atomic<bool> misconfigured_{false};
  std::vector<collet_device_t*> devices_;
};

}  // namespace collet::loader
