// SPDX-License-Identifier: Apache-2.0
#include "configuration.hpp"

#include <mutex>
#include <utility>

#include "environment.hpp"
#include "error.hpp"

namespace collet::loader {
namespace {

enum class State { kUnset, kSet, kTaken };

struct Pending {
  std::mutex mutex;
  State state = State::kUnset;
  Configuration configuration;
};

Pending& pending() {
  static Pending& instance = *new Pending;
  return instance;
}

}  // namespace

std::optional<PluginPath> Configuration::plugin_folders() const {
  if (plugin_path) {
    return PluginPath{*plugin_path, "collet_configure: plugin_path"};
  }
  if (auto text = variable("COLLET_PLUGIN_PATH")) {
    return PluginPath{*std::move(text), "COLLET_PLUGIN_PATH"};
  }
  return std::nullopt;
}

std::optional<Selector> Configuration::visible_devices_text() const {
  if (visible_devices) {
    return Selector{"collet_configure: visible_devices", *visible_devices};
  }
  if (auto text = variable("COLLET_VISIBLE_DEVICES")) {
    return Selector{"COLLET_VISIBLE_DEVICES", *std::move(text)};
  }
  return std::nullopt;
}

std::optional<Selector> Configuration::memory_text() const {
  if (memory) {
    return Selector{"collet_configure: memory", *memory};
  }
  if (auto text = variable("COLLET_MEMORY")) {
    return Selector{"COLLET_MEMORY", *std::move(text)};
  }
  return std::nullopt;
}

Selector Configuration::default_device() const {
  if (device) {
    return {"collet_configure: device", *device};
  }
  if (auto text = variable("COLLET_DEVICE")) {
    return {"COLLET_DEVICE", *std::move(text)};
  }
  return {"COLLET_DEVICE (unset, so auto)", "auto"};
}

void configure(Configuration configuration) {
  Pending& place = pending();
  const std::lock_guard lock(place.mutex);
  if (place.state == State::kSet) {
    throw Error(COLLET_ERROR_INVALID_STATE, "the process is configured already");
  }
  if (place.state == State::kTaken) {
    throw Error(COLLET_ERROR_INVALID_STATE,
                "Collet is in use already; configure it before the first other call");
  }
  place.configuration = std::move(configuration);
  place.state = State::kSet;
}

Configuration take_configuration() {
  Pending& place = pending();
  const std::lock_guard lock(place.mutex);
  place.state = State::kTaken;
  return place.configuration;
}

}  // namespace collet::loader
