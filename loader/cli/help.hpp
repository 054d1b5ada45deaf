// SPDX-License-Identifier: Apache-2.0
// The help texts of the program `collet`.
#pragma once

#include <string>

namespace collet::cli {

// "collet 0.1.0 (ABI 1.0)"
std::string version_text();

// What `collet --help` says.
std::string help_text();

// What `collet <command> --help` says.
std::string devices_help_text();
std::string doctor_help_text();
std::string explain_help_text();
std::string bench_help_text();
std::string cache_help_text();
std::string memory_help_text();

}  // namespace collet::cli
