// SPDX-License-Identifier: Apache-2.0
// Shared libraries: loaded by absolute path, with all symbols bound, and kept for good.
#pragma once

#include <string>

#include "error.hpp"

namespace collet::loader {

// The dynamic linker has refused a library; nothing of it has run.
class LinkError : public Error {
 public:
  using Error::Error;
};

// Loads the library and returns the address of a symbol in it. Throws LinkError: UNAVAILABLE with
// the dynamic linker's reason, or Error: INCOMPATIBLE where the library lacks the symbol. The
// library is never unloaded: its threads and thread-local destructors may still need its code.
void* load_symbol(const std::string& path, const char* symbol);

// The folder of the shared object that holds an address: absolute, with links resolved, also if the
// current directory has changed since the object was loaded. Empty if there is none.
std::string folder_of_address(const void* address);

}  // namespace collet::loader
