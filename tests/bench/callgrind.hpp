// SPDX-License-Identifier: Apache-2.0
//
// Counts instructions, which, unlike time, is the same on every run and on a busy machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace collet::bench {

// Runs a program under `valgrind --tool=callgrind`, and returns the instructions that are executed
// from entering to leaving each of these functions, callees included. Throws std::runtime_error if
// valgrind is missing, the program fails, or a function is not called.
std::map<std::string, std::uint64_t> count_instructions(const std::vector<std::string>& command,
                                                        const std::vector<std::string>& functions);

}  // namespace collet::bench
