// SPDX-License-Identifier: Apache-2.0
// Where in the program a call came from.
#pragma once

#include <array>
#include <string>

namespace collet::loader::validate {

// The innermost return addresses outside of this library; a wrapper that is not inlined takes one.
class Place {
 public:
  // Of the calling thread.
  static Place here() noexcept;

  bool operator<(const Place& other) const noexcept { return calls_ < other.calls_; }

  // "step (train+0x11d0), from main (train+0x1400)"; functions are named where the program exports
  // their names.
  [[nodiscard]] std::string text() const;

 private:
  std::array<void*, 3> calls_{};
};

}  // namespace collet::loader::validate
