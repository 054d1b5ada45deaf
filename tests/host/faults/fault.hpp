// SPDX-License-Identifier: Apache-2.0
// Included by the command line into each source of the loader's fault build.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <thread>

namespace collet_fault {

// Whether the process was started to show this fault.
inline bool is_chosen(const char* id) noexcept {
  // Not secure_getenv(): one of the faults is shown by a process with more rights than its user.
  static const char* const kChosen = std::getenv("COLLET_HOST_FAULT");
  return kChosen != nullptr && std::strcmp(kChosen, id) == 0;
}

}  // namespace collet_fault
