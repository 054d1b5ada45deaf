// SPDX-License-Identifier: Apache-2.0
// All back ends of the process. Made at the first use, never destroyed.
#pragma once

#include <collet/device.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allow_list.hpp"
#include "backend.hpp"
#include "layers/layer_settings.hpp"
#include "pool/memory_settings.hpp"
#include "prober.hpp"
#include "selector.hpp"
#include "visible_devices.hpp"

namespace collet::loader {

class Registry {
 public:
  // The instance. The first call watches forks, starts the log and looks for plugins. Where the
  // configuration is at fault, only the ledger may be used.
  static Registry& instance();

  // The instance, for all else. Throws what is wrong with the configuration, the same each time.
  static Registry& usable();

  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Every candidate, sorted by name, then by discovery.
  [[nodiscard]] const std::vector<std::unique_ptr<Backend>>& ledger() const noexcept {
    return ledger_;
  }

  // One back end for each name: the first candidate that is not broken, if there is one.
  [[nodiscard]] const std::vector<Backend*>& backends() const noexcept { return backends_; }

  // The names of backends().
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  // The back end of that name, or nullptr.
  [[nodiscard]] Backend* find(std::string_view name) const noexcept;

  // The back end of that name. Throws NO_SUCH_DEVICE, with the nearest name.
  [[nodiscard]] Backend& get(std::string_view name) const;

  // True if there is no such back end, and no setting leaves it out.
  [[nodiscard]] bool misses(std::string_view name) const noexcept;

  // Which devices exist.
  [[nodiscard]] const VisibleDevices& visible_devices() const noexcept { return visible_devices_; }

  // Finds out what all back ends are like, at once.
  void learn_all();

  // A program that looks through the ledger is about to list all devices: what it asks for first
  // is found out for all back ends at once. One that asks for a back end by name does not pay for
  // the others.
  void note_listing() noexcept { listing_.store(true, std::memory_order_relaxed); }
  void prepare_listing() {
    if (listing_.load(std::memory_order_relaxed)) {
      learn_all();
    }
  }

  // One sentence on where plugins were looked for, and which folders could not be searched.
  [[nodiscard]] const std::string& search_text() const noexcept { return search_text_; }

  // The default device, opened at the first call.
  collet_device_t* default_device();

 private:
  Registry();
  void add(const Candidate& candidate);

  std::optional<Error> failure_;

  AllowList allowed_;
  VisibleDevices visible_devices_;
  MemorySettings memory_settings_;
  LayerSettings layer_settings_;
  Prober prober_;
  std::atomic<bool> listing_{false};
  std::vector<std::unique_ptr<Backend>> ledger_;
  std::vector<Backend*> backends_;
  std::vector<std::string> names_;
  std::string search_text_;
  Selector default_selector_;
  std::atomic<collet_device_t*> default_device_{nullptr};
};

}  // namespace collet::loader
