// SPDX-License-Identifier: Apache-2.0
/** All that a plugin needs: include this, define the root table, and export it. */
#pragma once

#include <collet/plugin.h>
#include <collet/sdk/error.hpp>
#include <collet/sdk/guard.hpp>
#include <collet/sdk/handle.hpp>
#include <collet/sdk/host.hpp>
#include <collet/sdk/structs.hpp>

#include <cstdint>
#include <string>

namespace collet::plugin {

/** "1.0" for a value of COLLET_ABI_VERSION. */
[[nodiscard]] inline std::string abi_text(std::uint32_t version) {
  constexpr unsigned kMinorBits = 16;
  return std::to_string(version >> kMinorBits) + "." +
         std::to_string(version & ((1U << kMinorBits) - 1));
}

/** The body of collet_plugin_query_v1(): connects host() and gives `plugin`. */
[[nodiscard]] inline collet_status_t answer_query(const collet_plugin_t& plugin,
                                                  const collet_host_t* services,
                                                  const collet_plugin_t** out_plugin) noexcept {
  if (services == nullptr || out_plugin == nullptr) return COLLET_ERROR_INVALID_ARGUMENT;
  const bool is_connected = host().connect(services, plugin.name);
  return guarded([&] {
    // Growth adds interfaces, so any host of the same major version will do.
    constexpr std::uint32_t kOldest = std::uint32_t{COLLET_ABI_MAJOR} << 16;
    if (services->abi_version < kOldest) {
      throw Error(COLLET_ERROR_INCOMPATIBLE,
                  std::string("plugin \"") + plugin.name + "\" needs a host of ABI " +
                      abi_text(kOldest) + ", but this one has " + abi_text(services->abi_version) +
                      "; update Collet");
    }
    if (!is_connected) {
      throw Error(COLLET_ERROR_INCOMPATIBLE,
                  "the host lacks the log, error or option service of ABI " + abi_text(kOldest));
    }
    *out_plugin = &plugin;
  });
}

}  // namespace collet::plugin

/** Defines the plugin's one exported symbol. `table` is a collet_plugin_t of static lifetime. */
#define COLLET_EXPORT_PLUGIN(table)                                    \
  extern "C" COLLET_API collet_status_t collet_plugin_query_v1(        \
      const collet_host_t* host, const collet_plugin_t** out_plugin) { \
    return collet::plugin::answer_query(table, host, out_plugin);      \
  }
