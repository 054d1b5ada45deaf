// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <algorithm>

#include "configuration.hpp"
#include "discovery.hpp"
#include "environment.hpp"
#include "history/history_file.hpp"
#include "log.hpp"
#include "probe.hpp"
#include "process.hpp"
#include "selection.hpp"
#include "sync_report.hpp"
#include "variable_names.hpp"

namespace collet::loader {
namespace {

std::string describe_search(const Discovery& found) {
  std::string text = "plugins are looked for in ";
  for (std::size_t i = 0; i < found.folders.size(); ++i) {
    text += (i == 0 ? "" : ", ") + escaped(found.folders[i]);
  }
  if (found.folders.empty()) {
    text += "no folder";
  }
  for (const std::string& warning : found.warnings) {
    text += "\n" + warning;
  }
  return text;
}

// A name that no plugin has is most likely a mistake; it may also be a list for many machines.
void warn_of_unknown(const AllowList& allowed, const std::vector<std::string>& known) {
  for (const std::string& name : allowed.names()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string hint = did_you_mean(name, known);
      log(COLLET_LOG_WARN, "COLLET_PLUGINS: there is no back end " + in_quotes(name) +
                               (hint.empty() ? "" : "; " + hint));
    }
  }
}

}  // namespace

Registry& Registry::instance() {
  // Before the instance is begun: a child that is forked meanwhile would wait for it for ever.
  watch_forks();
  static Registry& registry = *new Registry;
  return registry;
}

Registry& Registry::usable() {
  Registry& registry = instance();
  if (registry.failure_) {
    throw Error(*registry.failure_);
  }
  return registry;
}

Registry::Registry() {
  if (is_probe_process()) {
    throw Error(COLLET_ERROR_REENTRANT, "a plugin has called Collet while it is probed");
  }
  const Configuration configuration = take_configuration();
  start_log(configuration.log_callback, configuration.log_user_data, configuration.log_level);
  start_history_by_environment();
  default_selector_ = configuration.default_device();

  try {
    prober_ = Prober::from_environment();
    allowed_ = AllowList::from_environment();
  } catch (const Error& error) {
    failure_.emplace(error);
  }
  Discovery found = discover(configuration.plugin_folders());
  for (const std::string& warning : found.warnings) {
    log(COLLET_LOG_WARN, warning);
  }
  search_text_ = describe_search(found);
  for (Candidate& candidate : found.candidates) {
    if (candidate.fault.empty() && !allowed_.allows(candidate.name)) {
      candidate.fault = "COLLET_PLUGINS does not name it";
      candidate.hint = "add " + candidate.name + " to COLLET_PLUGINS, or unset it";
    }
    add(candidate);
  }
  warn_of_unknown(allowed_, names_);
  for (const UnreadVariable& unread : unread_variables(variable_names(), names_)) {
    log(COLLET_LOG_WARN, text_of(unread));
  }
  try {
    if (const std::optional<Selector> written = configuration.visible_devices_text()) {
      visible_devices_ = VisibleDevices(*written, names_);
    }
    read_sync_report();
    if (const std::optional<Selector> written = configuration.memory_text()) {
      memory_settings_ = parse_memory_settings(*written);
    }
    layer_settings_ = layer_settings_from_environment();
  } catch (const Error& error) {
    if (!failure_) {
      failure_.emplace(error);
    }
  }
}

void Registry::add(const Candidate& candidate) {
  log(COLLET_LOG_DEBUG, candidate.name + ": found " + candidate.path +
                            (candidate.fault.empty() ? "" : ": " + candidate.fault));
  ledger_.push_back(std::make_unique<Backend>(candidate, visible_devices_, memory_settings_,
                                              layer_settings_, prober_));
  if (names_.empty() || names_.back() != candidate.name) {
    names_.push_back(candidate.name);
    backends_.push_back(ledger_.back().get());
  } else if (backends_.back()->info().state == COLLET_BACKEND_UNUSABLE) {
    backends_.back() = ledger_.back().get();
  }
}

Backend* Registry::find(std::string_view name) const noexcept {
  for (Backend* backend : backends_) {
    if (backend->name() == name) {
      return backend;
    }
  }
  return nullptr;
}

bool Registry::misses(std::string_view name) const noexcept {
  return find(name) == nullptr && allowed_.allows(name) && !visible_devices_.hides(name);
}

Backend& Registry::get(std::string_view name) const {
  if (Backend* backend = find(name)) {
    return *backend;
  }
  std::string text = "there is no back end " + in_quotes(name);
  if (const std::string hint = did_you_mean(name, names_); !hint.empty()) {
    text += "; " + hint;
  }
  throw Error(COLLET_ERROR_NO_SUCH_DEVICE, text + "\n" + search_text_);
}

void Registry::learn_all() {
  std::vector<Plugin*> plugins;
  plugins.reserve(backends_.size());
  for (Backend* backend : backends_) {
    if (!backend->is_hidden()) {
      plugins.push_back(&backend->plugin());
    }
  }
  prober_.learn(plugins);
}

collet_device_t* Registry::default_device() {
  collet_device_t* device = default_device_.load(std::memory_order_acquire);
  if (device == nullptr) {
    device = open_selected(*this, default_selector_);
    default_device_.store(device, std::memory_order_release);
  }
  return device;
}

}  // namespace collet::loader
