// SPDX-License-Identifier: Apache-2.0
/** What a shared object exports. */
#pragma once

#include <string>
#include <vector>

namespace collet::conformance {

/** Names of the dynamic symbols that the object defines. @throws LoadError for what is no object */
[[nodiscard]] std::vector<std::string> exported_symbols(const std::string& path);

}  // namespace collet::conformance
