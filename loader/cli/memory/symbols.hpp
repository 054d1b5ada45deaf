// SPDX-License-Identifier: Apache-2.0
// Names of functions and places in sources, from the files that a history names.
#pragma once

#include "memory/history_file.hpp"

namespace collet::cli {

// Fills in what the files on this machine know about the frames. A file that is not there any more,
// or was built again since, gives nothing, or another name.
void add_symbols(History& history);

}  // namespace collet::cli
