// SPDX-License-Identifier: Apache-2.0
// Finds out what plugins are like, by the cheapest way that is safe: from what is remembered, by a
// probe, or, where probes are off or impossible, by loading them.
#pragma once

#include <span>
#include <string>

#include "probe.hpp"
#include "probe_cache.hpp"

namespace collet::loader {

struct Candidate;
class Plugin;

class Prober {
 public:
  // Neither probes nor remembers.
  Prober() : setting_{.enabled = false} {}
  Prober(const ProbeSetting& setting, std::string helper, ProbeCache cache)
      : setting_(setting), helper_(std::move(helper)), cache_(std::move(cache)) {}

  // What COLLET_PROBE and COLLET_CACHE_DIR say. Throws MALFORMED.
  static Prober from_environment();

  // Returns when all of the plugins are known: those of which nothing is known are probed at once,
  // and other threads' probes are waited for.
  void learn(std::span<Plugin* const> plugins) const;

  // Forgets what has turned out to be wrong.
  void forget(const CacheKey& key) const noexcept { cache_.forget(key); }

 private:
  void learn_all(std::span<Plugin* const> plugins) const;
  [[nodiscard]] bool recall(Plugin& plugin, const std::string& machine) const;
  void remember(const Plugin& plugin, const Remembered& remembered) const;
  void conclude(Plugin& plugin, ProbeResult& result) const;

  ProbeSetting setting_;
  std::string helper_;
  ProbeCache cache_;
};

}  // namespace collet::loader
