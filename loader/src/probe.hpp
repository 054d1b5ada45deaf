// SPDX-License-Identifier: Apache-2.0
// Probes: plugins are run in processes of their own before they are let into this one.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"
#include "plugin_facts.hpp"
#include "selector.hpp"

namespace collet::loader {

struct ProbeSetting {
  bool enabled = true;
  // Long enough for a driver that starts eight cards from cold.
  std::chrono::milliseconds deadline{10'000};
};

// Parses "on", "off", or a deadline such as "30s" or "500ms". Throws MALFORMED with a caret.
ProbeSetting parse_probe_setting(const Selector& text);

struct ProbeRequest {
  std::string backend;
  std::string path;
  // Options that count where the environment does not set them.
  std::map<std::string, std::string> defaults;
};

struct ProbeResult {
  // One of the two.
  std::optional<PluginFacts> facts;
  std::optional<Error> failure;
  // The plugin has not run, since it cannot be linked: this process may have what it lacks.
  bool link_failed = false;
  // The helper could not be started, which says nothing about the plugin.
  bool no_helper = false;
};

// Probes all plugins at once, each by a process of `helper`. Ends when the last has answered, and
// soon after the deadline in any case. Results are in the order of the requests. Starts no thread,
// and takes no lock.
std::vector<ProbeResult> probe(const std::string& helper, std::span<const ProbeRequest> requests,
                               std::chrono::milliseconds deadline);

// The helper program that is installed with this library; empty where that cannot be told.
std::string probe_helper();

// True in a helper process: a plugin that calls libcollet there is refused.
bool is_probe_process();

}  // namespace collet::loader
