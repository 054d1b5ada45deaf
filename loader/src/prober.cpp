// SPDX-License-Identifier: Apache-2.0
#include "prober.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "cache_settings.hpp"
#include "environment.hpp"
#include "log.hpp"
#include "machine_state.hpp"
#include "plugin.hpp"
#include "stage.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

CacheKey cache_key(const Candidate& candidate, const std::string& machine) {
  CacheKey key;
  key.place = candidate.name + '\n' + candidate.path + '\n' + device_environment(candidate.name);
  for (const auto& [option, value] : candidate.settings) {
    key.place.append(option).append("=").append(value).append("\n");
  }
  const FileIdentity& file = candidate.identity;
  key.text = std::string("libcollet ") + collet_version() + " abi " +
             std::to_string(COLLET_ABI_VERSION) + " properties " +
             std::to_string(sizeof(collet_device_properties_t)) + "\nfile " +
             std::to_string(file.device) + ' ' + std::to_string(file.inode) + ' ' +
             std::to_string(file.size_bytes) + ' ' + std::to_string(file.modified_ns) + ' ' +
             candidate.build_id + '\n' + key.place + machine;
  return key;
}

void warn_without_helper(const std::string& reason) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true)) {
    log(COLLET_LOG_WARN, "plugins are loaded without a probe: " + reason);
  }
}

// Those of which nothing is known, and nobody else is finding it out.
struct Claim {
  std::vector<Plugin*> plugins;
  std::vector<StageWork> works;
};

Claim claim(std::span<Plugin* const> plugins) {
  Claim claimed;
  claimed.plugins.reserve(plugins.size());
  claimed.works.reserve(plugins.size());
  for (Plugin* plugin : plugins) {
    if (plugin->learning().try_begin()) {
      claimed.plugins.push_back(plugin);
      claimed.works.emplace_back(plugin->learning());
    }
  }
  return claimed;
}

}  // namespace

Prober Prober::from_environment() {
  ProbeSetting setting;
  if (std::optional<std::string> text = variable("COLLET_PROBE")) {
    setting = parse_probe_setting({"COLLET_PROBE", *std::move(text)});
  }
  const CacheSettings cache = cache_settings();
  if (!cache.warning.empty()) {
    log(COLLET_LOG_WARN, cache.warning);
  }
  return {setting, probe_helper(),
          cache.root.empty() ? ProbeCache() : ProbeCache(cache.root + "/probe")};
}

void Prober::learn(std::span<Plugin* const> plugins) const {
  for (;;) {
    Claim claimed = claim(plugins);
    learn_all(claimed.plugins);
    for (StageWork& work : claimed.works) {
      work.end();
    }
    const auto pending = std::find_if(plugins.begin(), plugins.end(),
                                      [](Plugin* plugin) { return !plugin->learning().done(); });
    if (pending == plugins.end()) {
      return;
    }
    (*pending)->learning().wait();
  }
}

void Prober::learn_all(std::span<Plugin* const> plugins) const {
  std::vector<Plugin*> unknown;
  std::vector<ProbeRequest> requests;
  const bool probing = setting_.enabled && !helper_.empty();
  const std::string machine =
      probing && !plugins.empty() && !cache_.folder().empty() ? machine_state() : std::string();
  for (Plugin* plugin : plugins) {
    if (!probing) {
      plugin->load(nullptr);
    } else if (!recall(*plugin, machine)) {
      const Candidate& candidate = plugin->candidate();
      log(COLLET_LOG_DEBUG, candidate.name + ": probing " + candidate.path);
      requests.push_back({candidate.name, candidate.path, candidate.settings});
      unknown.push_back(plugin);
    }
  }
  std::vector<ProbeResult> results = probe(helper_, requests, setting_.deadline);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    conclude(*unknown[i], results[i]);
  }
}

bool Prober::recall(Plugin& plugin, const std::string& machine) const {
  if (cache_.folder().empty()) {
    return false;
  }
  CacheKey key = cache_key(plugin.candidate(), machine);
  std::optional<Remembered> remembered = cache_.find(key);
  plugin.set_cache_key(std::move(key));
  if (!remembered) {
    return false;
  }
  log(COLLET_LOG_DEBUG, plugin.name() + ": remembered from an earlier probe");
  if (auto* facts = std::get_if<PluginFacts>(&*remembered)) {
    plugin.accept(std::move(*facts), true);
  } else {
    plugin.refuse(std::get<Error>(*remembered), true);
  }
  return true;
}

void Prober::remember(const Plugin& plugin, const Remembered& remembered) const {
  if (plugin.cache_key()) {
    cache_.store(*plugin.cache_key(), remembered);
  }
}

void Prober::conclude(Plugin& plugin, ProbeResult& result) const {
  if (result.no_helper) {
    warn_without_helper(result.failure->message());
    plugin.load(nullptr);
  } else if (result.link_failed) {
    plugin.load(&*result.failure);
  } else if (result.failure) {
    if (result.failure->status() == COLLET_ERROR_INCOMPATIBLE) {
      remember(plugin, *result.failure);
    }
    plugin.refuse(*result.failure, false);
  } else {
    // What cannot be described today may be tomorrow.
    if (std::none_of(result.facts->devices.begin(), result.facts->devices.end(),
                     [](const DeviceFacts& device) { return device.failure.has_value(); })) {
      remember(plugin, *result.facts);
    }
    plugin.accept(std::move(*result.facts), false);
  }
}

}  // namespace collet::loader
