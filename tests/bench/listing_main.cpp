// SPDX-License-Identifier: Apache-2.0
//
// The program that is timed: describes all devices of all back ends, and opens none.
#include <collet/collet.hpp>

#include <cstdio>
#include <exception>

int main() {
  try {
    std::size_t devices = 0;
    for (const collet_backend_info_t& backend : collet::backends()) {
      devices += collet::devices(backend.name).size();
    }
    std::printf("%zu\n", devices);
    return devices > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
