// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include "library.hpp"
#include "log.hpp"
#include "prober.hpp"
#include "text.hpp"

namespace collet::loader {
Plugin::Plugin(const Candidate& candidate, const Prober& prober)
    : candidate_(candidate),
      prober_(prober),
      host_(candidate.name, candidate.settings),
      module_(candidate.name, candidate.path, host_) {
  Verdict first;
  first.phase = candidate.phase;
  if (!candidate.fault.empty()) {
    first.state = COLLET_BACKEND_UNUSABLE;
    first.failure.emplace(candidate.status, escaped(candidate.path) + ": " + candidate.fault,
                          candidate.name);
    first.failure->with_hint(candidate.hint);
    learning_.end();
  }
  publish(std::move(first));
}

void Plugin::publish(Verdict verdict) {
  verdicts_.push_front(std::move(verdict));
  verdict_.store(&verdicts_.front(), std::memory_order_release);
}

const Plugin::Verdict& Plugin::learn() {
  if (!learning_.done()) {
    Plugin* self = this;
    prober_.learn({&self, 1});
  }
  const Verdict& known = verdict();
  if (known.failure) {
    throw Error(*known.failure);
  }
  return known;
}

collet_device_properties_t Plugin::properties(std::uint32_t index) {
  const DeviceFacts& device = learn().facts.devices.at(index);
  if (device.failure) {
    throw Error(*device.failure);
  }
  return device.properties;
}

const PluginModule& Plugin::module() {
  learn();
  load(nullptr);
  if (const Verdict& known = verdict(); known.failure) {
    throw Error(*known.failure);
  }
  return module_;
}

void Plugin::accept(PluginFacts facts, bool from_cache) {
  Verdict known;
  known.state = COLLET_BACKEND_READY;
  known.phase = COLLET_BACKEND_PHASE_PROBED;
  known.from_cache = from_cache;
  known.facts = std::move(facts);
  publish(std::move(known));
}

void Plugin::refuse(const Error& error, bool from_cache) {
  refuse(error, verdict().phase, from_cache);
}

void Plugin::refuse(const Error& error, collet_backend_phase_t phase, bool from_cache) {
  log(COLLET_LOG_INFO, name() + ": unusable: " + error.message());
  // What was remembered of it led here.
  if (verdict().state == COLLET_BACKEND_READY && cache_key_) {
    prober_.forget(*cache_key_);
  }
  Verdict known;
  known.state = COLLET_BACKEND_UNUSABLE;
  known.phase = phase;
  known.from_cache = from_cache;
  known.failure.emplace(error);
  const bool is_fault =
      error.status() == COLLET_ERROR_INCOMPATIBLE || error.status() == COLLET_ERROR_INTERNAL;
  if (error.hint().empty() && is_fault) {
    known.failure->with_hint("tell its vendor what `collet-conformance run " +
                             escaped(candidate_.path) + "` says of it");
  }
  publish(std::move(known));
}

void Plugin::load(const Error* link_failure) {
  if (loading_.done() || !loading_.begin()) {
    return;
  }
  StageWork work(loading_);
  collet_backend_phase_t phase = verdict().phase;
  try {
    load_steps(phase);
  } catch (const LinkError& error) {
    refuse(link_failure != nullptr ? *link_failure : error, phase, false);
  } catch (const Error& error) {
    refuse(error, phase, false);
  }
  work.end();
}

void Plugin::load_steps(collet_backend_phase_t& phase) {
  log(COLLET_LOG_DEBUG, name() + ": loading " + candidate_.path);
  module_.load();
  phase = COLLET_BACKEND_PHASE_LOADED;
  module_.negotiate();
  phase = COLLET_BACKEND_PHASE_NEGOTIATED;
  module_.count();
  phase = COLLET_BACKEND_PHASE_COUNTED;

  const Verdict& before = verdict();
  Verdict known;
  known.state = COLLET_BACKEND_READY;
  known.phase = phase;
  known.facts = module_.facts();
  if (before.state == COLLET_BACKEND_READY) {
    compare(before.facts, known.facts);
  }
  log(COLLET_LOG_INFO, name() + ": version " + known.facts.version + ", " +
                           counted(known.facts.devices.size(), "device") + ", loaded from " +
                           candidate_.path);
  publish(std::move(known));
}

void Plugin::compare(const PluginFacts& probed, const PluginFacts& loaded) const {
  if (probed.same_devices(loaded)) {
    return;
  }
  if (probed.devices.size() != loaded.devices.size()) {
    log(COLLET_LOG_WARN, name() + ": its probe has found " +
                             counted(probed.devices.size(), "device") + ", and there are " +
                             std::to_string(loaded.devices.size()) + " now");
  } else {
    log(COLLET_LOG_INFO, name() + ": its devices are described otherwise than its probe did");
  }
  if (cache_key_) {
    prober_.forget(*cache_key_);
  }
}

collet_backend_info_t Plugin::info() const noexcept {
  const Verdict& known = verdict();
  collet_backend_info_t info{};
  info.name = candidate_.name.c_str();
  info.path = candidate_.path.c_str();
  info.origin = candidate_.origin.c_str();
  info.version = known.facts.version.c_str();
  info.vendor = known.facts.vendor.c_str();
  info.reason = known.failure ? known.failure->what() : "";
  info.hint = known.failure ? known.failure->hint().c_str() : "";
  info.state = known.state;
  info.phase = known.phase;
  info.status = known.failure ? known.failure->status() : COLLET_OK;
  info.device_count = static_cast<std::uint32_t>(known.facts.devices.size());
  info.from_cache = known.from_cache ? 1 : 0;
  return info;
}

}  // namespace collet::loader
