// SPDX-License-Identifier: Apache-2.0
// A look at a file that claims to be a plugin, without loading it.
#pragma once

#include <collet/base.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collet::loader {

// What tells a file from every other, and from what it was before it was written to.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

struct ElfFile {
  FileIdentity identity;
  // Of the linker, in hexadecimal digits; empty where it has left none.
  std::string build_id;
  // Names of the libraries that it needs, and the folders that it wants them looked for in first.
  std::vector<std::string> needed;
  std::vector<std::string> search_folders;
  // Why it cannot be a plugin for this process, and what to do; empty if it may be one. Everything
  // that is not understood is left to the dynamic linker to judge.
  std::string fault;
  std::string hint;
  collet_status_t status = COLLET_ERROR_UNAVAILABLE;
};

// Reads the file at an absolute path. Never throws for what the file contains, and reads a bounded
// part of it.
ElfFile read_elf_file(const std::string& path);

}  // namespace collet::loader
