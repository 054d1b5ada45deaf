// SPDX-License-Identifier: Apache-2.0
// A look at a file that claims to be a shared library, without loading it.
#pragma once

#include <string>

namespace collet::loader {

// Why the file cannot be a shared library for this process; empty if it may be one.
std::string elf_fault(const std::string& path);

}  // namespace collet::loader
