// SPDX-License-Identifier: Apache-2.0
/** All that a plugin needs: include this, define the root table, and export it. */
#pragma once

#include <collet/plugin.h>
#include <collet/sdk/error.hpp>
#include <collet/sdk/guard.hpp>
#include <collet/sdk/handle.hpp>
#include <collet/sdk/host.hpp>
#include <collet/sdk/structs.hpp>

namespace collet::plugin {

/** The body of collet_plugin_query_v1(): connects host() and gives `plugin`. */
[[nodiscard]] inline collet_status_t answer_query(const collet_plugin_t& plugin,
                                                  const collet_host_t* services,
                                                  const collet_plugin_t** out_plugin) noexcept {
  if (services == nullptr || out_plugin == nullptr) return COLLET_ERROR_INVALID_ARGUMENT;
  // Growth adds interfaces, so any host of the same major version will do.
  constexpr std::uint32_t kOldestHost = std::uint32_t{COLLET_ABI_MAJOR} << 16;
  if (services->abi_version < kOldestHost) return COLLET_ERROR_INCOMPATIBLE;
  if (!host().connect(services, plugin.name)) return COLLET_ERROR_INCOMPATIBLE;
  *out_plugin = &plugin;
  return COLLET_OK;
}

}  // namespace collet::plugin

/** Defines the plugin's one exported symbol. `table` is a collet_plugin_t of static lifetime. */
#define COLLET_EXPORT_PLUGIN(table)                                    \
  extern "C" COLLET_API collet_status_t collet_plugin_query_v1(        \
      const collet_host_t* host, const collet_plugin_t** out_plugin) { \
    return collet::plugin::answer_query(table, host, out_plugin);      \
  }
