// SPDX-License-Identifier: Apache-2.0
// What is kept of programs that were built from sources.
#pragma once

#include <string>

#include "report_json.hpp"

namespace collet::cli {

// Where, how many, and how much of what they may take; in one line without its end.
std::string cache_line();

// What is wrong with the variables of the caches; empty where all is well.
std::string cache_warning();

Json cache_json();

// Removes the programs that are kept, and says how many.
std::string clear_cache();

}  // namespace collet::cli
