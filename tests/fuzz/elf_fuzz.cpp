// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of a plugin: what is told of them has a bounded size, and faults have hints.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "elf_file.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int kFile = memfd_create("plugin", MFD_CLOEXEC);
  static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
  if (ftruncate(kFile, 0) != 0 || pwrite(kFile, data, size, 0) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  const collet::loader::ElfFile found = collet::loader::read_elf_file(kPath);
  if (found.fault.empty() != found.hint.empty()) std::abort();
  if (found.identity.size_bytes != size) std::abort();
  return 0;
}
