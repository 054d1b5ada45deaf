// SPDX-License-Identifier: Apache-2.0
// Sizes for people. The command has it too.
#pragma once

#include <cstdint>
#include <string>

namespace collet::loader {

// "512 B", "1.50 GiB"; with that many digits behind the point.
std::string bytes_text(std::uint64_t bytes, int digits = 2);

}  // namespace collet::loader
