// SPDX-License-Identifier: Apache-2.0
// A back end: the visible devices of one plugin, and those of them that are open.
#pragma once

#include <collet/device.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "layers/layer_settings.hpp"
#include "plugin.hpp"
#include "pool/memory_settings.hpp"
#include "stage.hpp"
#include "visible_devices.hpp"

namespace collet::loader {

struct Device;

class Backend {
 public:
  // All but `candidate` must outlive this.
  Backend(const Candidate& candidate, const VisibleDevices& visible, const MemorySettings& memory,
          const LayerSettings& layers, const Prober& prober)
      : plugin_(candidate, prober),
        visible_(visible),
        memory_settings_(memory),
        layer_settings_(layers) {}
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return plugin_.name(); }
  [[nodiscard]] Plugin& plugin() noexcept { return plugin_; }

  // The root table. Loads the plugin at the first call; throws as Plugin::module().
  const collet_plugin_t& root() { return plugin_.module().root(); }

  // Of the devices' own allocators.
  [[nodiscard]] const MemorySettings& memory_settings() const noexcept { return memory_settings_; }
  [[nodiscard]] const LayerSettings& layer_settings() const noexcept { return layer_settings_; }

  // True if COLLET_VISIBLE_DEVICES leaves none of its devices, so that nothing is asked of it.
  [[nodiscard]] bool is_hidden() const noexcept { return visible_.hides(name()); }

  // Number of visible devices; throws Error where the back end is unusable. All indices below are
  // of visible devices.
  std::uint32_t device_count();

  // The plugin's own index of a device. The index must be in range.
  [[nodiscard]] std::uint32_t physical_index(std::uint32_t index) const;

  // "cuda:0", or "cuda:0 (physical cuda:2)" where COLLET_VISIBLE_DEVICES has renumbered it.
  [[nodiscard]] std::string device_label(std::uint32_t index) const;

  // True if COLLET_VISIBLE_DEVICES names devices that this back end does not have: a mistake that
  // no other back end may stand in for.
  [[nodiscard]] bool is_misconfigured() const noexcept;

  // Describes a device without opening it. Throws NO_SUCH_DEVICE for an index out of range.
  collet_device_properties_t properties(std::uint32_t index);

  // The open device of that index and the handle that names it, opened at the first call. Loads
  // the plugin. Of several first calls at once, one opens and the others wait; no lock is held
  // meanwhile.
  collet_device_t* open(std::uint32_t index);

  // How far this back end got, without loading it. The texts live as long as the process.
  [[nodiscard]] collet_backend_info_t info() const noexcept;

  // "cpu has 1 device: cpu:0", and how its devices are renumbered.
  std::string devices_text();

 private:
  // The physical index of each visible device. Does not change once it is published.
  struct Mapping {
    const PluginFacts* facts;
    std::vector<std::uint32_t> indices;
    std::optional<Error> fault;
  };
  struct Opening {
    Stage stage;
    std::atomic<collet_device_t*> device{nullptr};
  };

  // The mapping of what is known of the plugin now: a load may find what a probe has not.
  const std::vector<std::uint32_t>& visible_indices();
  [[nodiscard]] Mapping make_mapping(const PluginFacts& facts) const;
  [[noreturn]] void refuse_index(std::uint32_t index);

  Plugin plugin_;
  const VisibleDevices& visible_;
  const MemorySettings& memory_settings_;
  const LayerSettings& layer_settings_;
  std::mutex mapping_mutex_;
  std::forward_list<Mapping> mappings_;
  std::atomic<const Mapping*> mapping_{nullptr};
  // One for each physical device; made once, when the plugin is loaded.
  Stage counting_;
  std::deque<Opening> openings_;
};

}  // namespace collet::loader
