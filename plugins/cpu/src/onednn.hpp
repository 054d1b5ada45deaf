// SPDX-License-Identifier: Apache-2.0
/** Where the generations of oneDNN differ: 2.6 and 3.x both build. */
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>

namespace collet::cpu {

/** Version of the library that runs, as "oneDNN 2.6.0". */
[[nodiscard]] inline std::string onednn_runtime_version() {
  const dnnl_version_t& v = *dnnl_version();
  return "oneDNN " + std::to_string(v.major) + "." + std::to_string(v.minor) + "." +
         std::to_string(v.patch);
}

/** Version of the headers that this plugin was built against. */
[[nodiscard]] inline std::string onednn_built_against() {
  return "oneDNN " + std::to_string(DNNL_VERSION_MAJOR) + "." + std::to_string(DNNL_VERSION_MINOR) +
         "." + std::to_string(DNNL_VERSION_PATCH);
}

}  // namespace collet::cpu
