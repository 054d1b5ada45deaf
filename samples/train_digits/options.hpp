// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace digits {

struct Options {
  std::uint32_t epochs = 30;
  std::uint32_t batch = 64;
  std::uint64_t seed = 1;
  // Empty: the file that comes with the program.
  std::string data;
  // A device selector. Without, COLLET_DEVICE decides.
  std::optional<std::string> device;
  bool help = false;
};

extern const char* const kUsage;

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Takes the arguments without the program's name. Throws UsageError.
Options parse_options(std::span<char* const> arguments);

}  // namespace digits
