// SPDX-License-Identifier: Apache-2.0
#include "mimalloc.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "harness.hpp"

namespace collet::bench {
namespace {

constexpr const char* kLibrary = "libmimalloc.so.2";

template <class Function>
Function* function(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    throw std::runtime_error(std::string(kLibrary) + " has no function " + name);
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace

Mimalloc load_mimalloc() {
  // Its own malloc is not asked for: what this program calls malloc stays the C library's.
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Absent("mimalloc cannot be loaded (" + std::string(dlerror()) +
                 "); on Debian it is the package libmimalloc2.0");
  }
  return {function<void*(std::size_t)>(library, "mi_malloc"),
          function<void(void*)>(library, "mi_free")};
}

}  // namespace collet::bench
