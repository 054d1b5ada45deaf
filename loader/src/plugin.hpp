// SPDX-License-Identifier: Apache-2.0
// One candidate for a back end: found by discovery, probed by a process of its own, loaded at its
// first use, and kept for good.
#pragma once

#include <collet/device.h>

#include <atomic>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>

#include "discovery.hpp"
#include "error.hpp"
#include "host_services.hpp"
#include "plugin_facts.hpp"
#include "plugin_module.hpp"
#include "probe_cache.hpp"
#include "stage.hpp"

namespace collet::loader {

class Prober;

class Plugin {
 public:
  // `prober` must outlive this.
  Plugin(const Candidate& candidate, const Prober& prober);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return candidate_.name; }
  [[nodiscard]] const Candidate& candidate() const noexcept { return candidate_; }

  // What it is like, found out without loading it where probes are on. Throws the same Error at
  // every call where it is unusable. Lives as long as the process; a load may replace it.
  const PluginFacts& facts() { return learn().facts; }
  // Properties of a device in range, without an id. Throws Error.
  collet_device_properties_t properties(std::uint32_t index);

  // The plugin in this process, loaded at the first call. Of several first calls at once, one
  // loads and the others wait; no lock is held meanwhile. Throws the same Error at every later
  // call if that fails.
  const PluginModule& module();

  // How far it got, without doing anything. The texts live as long as the process.
  [[nodiscard]] collet_backend_info_t info() const noexcept;

  // For the prober. True: the caller finds out what there is to know, by one of the functions
  // below, and ends the stage.
  Stage& learning() noexcept { return learning_; }
  void accept(PluginFacts facts, bool from_cache);
  void refuse(const Error& error, bool from_cache);
  // Loads the plugin into this process, in place of a probe; keeps what comes of it.
  // A failure of the dynamic linker is told by `link_failure`, if there is one.
  void load(const Error* link_failure);
  // Under which key it is remembered; needed once more when that turns out to be wrong.
  void set_cache_key(CacheKey key) { cache_key_ = std::move(key); }
  [[nodiscard]] const std::optional<CacheKey>& cache_key() const noexcept { return cache_key_; }

 private:
  // What is known at a time. Does not change once it is published, and is kept for good.
  struct Verdict {
    collet_backend_state_t state = COLLET_BACKEND_FOUND;
    collet_backend_phase_t phase = COLLET_BACKEND_PHASE_FOUND;
    bool from_cache = false;
    PluginFacts facts;
    std::optional<Error> failure;
  };

  [[nodiscard]] const Verdict& verdict() const noexcept {
    return *verdict_.load(std::memory_order_acquire);
  }
  void publish(Verdict verdict);
  // Throws the failure, if there is one; finds out first, if nothing is known.
  const Verdict& learn();
  void refuse(const Error& error, collet_backend_phase_t phase, bool from_cache);
  void load_steps(collet_backend_phase_t& phase);
  void compare(const PluginFacts& probed, const PluginFacts& loaded) const;

  const Candidate candidate_;
  const Prober& prober_;
  HostServices host_;
  PluginModule module_;
  std::optional<CacheKey> cache_key_;
  // One thread at a time publishes: the one that is in a stage. Loading comes after learning, or
  // in it.
  Stage learning_;
  Stage loading_;
  std::forward_list<Verdict> verdicts_;
  std::atomic<const Verdict*> verdict_{nullptr};
};

}  // namespace collet::loader
