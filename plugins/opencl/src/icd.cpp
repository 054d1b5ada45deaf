// SPDX-License-Identifier: Apache-2.0
#include "icd.hpp"

#include <dlfcn.h>

#include <collet/sdk/host.hpp>
#include <string>

namespace collet::opencl {
namespace {

using plugin::Error;

constexpr const char* kDefaultLibrary = "libOpenCL.so.1";

std::string library_name() {
  std::string name(plugin::host().option("library").value_or(kDefaultLibrary));
  const bool is_relative = !name.starts_with('/') && name.find('/') != std::string::npos;
  if (name.empty() || is_relative) {
    throw Error(COLLET_ERROR_UNAVAILABLE,
                "COLLET_OPENCL_LIBRARY=\"" + name +
                    "\" is no library's name and no whole path, and nothing is loaded from the "
                    "current directory");
  }
  return name;
}

void* open_library(const std::string& name) {
  // Another program's OpenCL in the same process must not get mixed up with this one.
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const why = dlerror();
  throw Error(COLLET_ERROR_UNAVAILABLE,
              "there is no OpenCL: " + std::string(why == nullptr ? name.c_str() : why) +
                  "; install the ICD loader (Debian: ocl-icd-libopencl1) and a driver, or say in "
                  "COLLET_OPENCL_LIBRARY where it is");
}

template <class Function>
void find(void* library, const char* name, Function& out) noexcept {
  out = reinterpret_cast<Function>(dlsym(library, name));
}

void require(const void* function, const std::string& library, const char* name) {
  if (function != nullptr) return;
  throw Error(COLLET_ERROR_UNAVAILABLE,
              library + " lacks " + name +
                  ", which OpenCL 1.2 has; use a newer ICD loader, or say in "
                  "COLLET_OPENCL_LIBRARY where it is");
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
Icd find_all() {
  const std::string name = library_name();
  void* const library = open_library(name);
  Icd found;
#define COLLET_OPENCL_FIND(function) find(library, #function, found.function);
#define COLLET_OPENCL_CHECK(function) \
  require(reinterpret_cast<const void*>(found.function), name, #function);
  COLLET_OPENCL_REQUIRED(COLLET_OPENCL_FIND)
  COLLET_OPENCL_OPTIONAL(COLLET_OPENCL_FIND)
  COLLET_OPENCL_REQUIRED(COLLET_OPENCL_CHECK)
#undef COLLET_OPENCL_FIND
#undef COLLET_OPENCL_CHECK
  return found;
}
// NOLINTEND(cppcoreguidelines-macro-usage)

/** Set before any object of OpenCL exists. */
const Icd* loaded = nullptr;

}  // namespace

const Icd& load_icd() {
  static const Icd& found = *new Icd(find_all());
  loaded = &found;
  return found;
}

const Icd& icd() noexcept { return *loaded; }

}  // namespace collet::opencl
