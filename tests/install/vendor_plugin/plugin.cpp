// SPDX-License-Identifier: Apache-2.0
#include <collet/plugin.h>

#include <cstring>

#include "acme_license.h"

int leak = 0;  // no plugin's global may be seen from outside, wanted or not

extern "C" collet_status_t collet_plugin_query_v1(const collet_host_t* /*host*/,
                                                  const collet_plugin_t** out_plugin) {
  *out_plugin = nullptr;
  const bool embedded =
      std::strcmp(reinterpret_cast<const char*>(acme_license),
                  "SPDX-License-Identifier: Apache-2.0\n") == 0 &&
      acme_license_size == std::strlen(reinterpret_cast<const char*>(acme_license));
  return embedded ? COLLET_ERROR_INCOMPATIBLE : COLLET_ERROR_INTERNAL;
}
