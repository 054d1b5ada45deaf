// SPDX-License-Identifier: Apache-2.0
#include <collet/collet.hpp>
#include <cstdio>

int main() {
  collet_device_t* device = nullptr;
  std::printf("collet %s\n", collet_version());
  if (collet_device_open("cpu", &device) != COLLET_OK) {
    std::fprintf(stderr, "%s\n", collet_last_error()->message);
    return 1;
  }
  return 0;
}
