// SPDX-License-Identifier: Apache-2.0
//
// Programs that the benchmarks start.
#pragma once

#include <string>
#include <vector>

namespace collet::bench {

// Runs a program, looked up in PATH, without its standard output, and waits for its end. Throws
// std::runtime_error if it cannot be started or does not succeed.
void run_program(const std::vector<std::string>& command);

// The path of a file of this build, from the folder that the benchmark's program is in.
std::string beside_program(const std::string& relative);

}  // namespace collet::bench
