// SPDX-License-Identifier: Apache-2.0
// Which libraries a plugin lacks, all of them at once.
#pragma once

#include <string>

#include "library.hpp"

namespace collet::loader {

// The failure to load a plugin, with the names of everything that cannot be found in place of the
// first one alone. Loads the libraries that can: for a process that is to end soon.
Error with_missing_libraries(const LinkError& failure, const std::string& path);

}  // namespace collet::loader
