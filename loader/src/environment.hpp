// SPDX-License-Identifier: Apache-2.0
// The one reader of the process's environment, and the variables that Collet knows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace collet::loader {

struct KnownVariable {
  const char* name;
  // What it is for, as a phrase; may have an example.
  const char* meaning;
  // Read by back ends, so that others of its first word may be theirs too.
  bool of_backends = false;
};

// All variables that Collet reads, for help texts.
std::span<const KnownVariable> known_variables() noexcept;

// The value of a variable, which may be empty; nothing where it is not set. In a process with more
// rights than its user (set-uid, capabilities) no variable is set.
std::optional<std::string> variable(const char* name);

// The names of all variables that are set; none in a process with more rights than its user.
std::vector<std::string> variable_names();

}  // namespace collet::loader
