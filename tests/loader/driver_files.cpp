// SPDX-License-Identifier: Apache-2.0
// Stands in front of the C library's access(), so that a test has the files of GPU drivers that the
// environment variable FAKE_DRIVER_FILES lists ("PATH:PATH"), whatever the machine has.
#include <collet/base.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool is_of_driver(std::string_view path) {
  return path.starts_with("/dev/nvidia") || path.starts_with("/usr/lib/wsl/");
}

bool is_listed(const std::string& path) {
  const char* listed = std::getenv("FAKE_DRIVER_FILES");
  return listed != nullptr &&
         (":" + std::string(listed) + ":").find(":" + path + ":") != std::string::npos;
}

}  // namespace

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library's are reserved
extern "C" COLLET_API int access(const char* path, int mode) noexcept {
  if (is_of_driver(path)) {
    return is_listed(path) ? 0 : -1;
  }
  return faccessat(AT_FDCWD, path, mode, 0);
}
