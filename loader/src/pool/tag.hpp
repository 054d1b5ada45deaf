// SPDX-License-Identifier: Apache-2.0
// Names of the users of memory, each kept once.
#pragma once

#include <string>

namespace collet::loader {

struct Tag {
  std::string name;
};

// The tag of this name; it lives as long as the process. nullptr for no name. Beyond some thousands
// of different names, all others share one.
const Tag* tag_of(const char* name) noexcept;

}  // namespace collet::loader
