// SPDX-License-Identifier: Apache-2.0
#include "test.hpp"

#include <map>

#include "check.hpp"

namespace collet::conformance {

const Plugin& Test::plugin() const {
  // A host asks a plugin once in a process, also where several cases share it.
  static std::map<std::string, Plugin> plugins;
  const auto found = plugins.find(plugin_path());
  if (found != plugins.end()) return found->second;
  try {
    return plugins.try_emplace(plugin_path(), plugin_path()).first->second;
  } catch (const LoadError& error) {
    fail("the plugin does not load: " + std::string(error.what()));
  }
}

Device& Test::device() {
  if (!device_) device_.emplace(plugin(), subject_.device_index);
  return *device_;
}

}  // namespace collet::conformance
