// SPDX-License-Identifier: Apache-2.0
// Runs a piece of a test in a process of its own, for what a process can do only once: configuring
// Collet, using it for the first time, setting its environment.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace collet::test {

struct ChildResult {
  // Exit status of the child; -1 where a signal has ended it.
  int exit_status = 0;
  // What the body wrote to its stream, and what went to stderr.
  std::string output;
  std::string errors;
};

// The calling process must have a single thread. An exception that leaves the body is its output,
// with an exit status of 1.
ChildResult run_in_child(const std::function<void(std::ostream&)>& body);

}  // namespace collet::test
