// SPDX-License-Identifier: Apache-2.0
#include "missing_libraries.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "elf_file.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

// The library that the dynamic linker's last message misses, or nothing where it complains of
// something else: "libx.so.1: cannot open shared object file: No such file or directory"
std::string missing_library() {
  const char* text = dlerror();
  const std::string_view reason = text != nullptr ? text : "";
  const std::size_t end = reason.find(": cannot open shared object file");
  return end == std::string_view::npos ? std::string() : std::string(reason.substr(0, end));
}

// The dynamic linker itself is asked, so that its rules need not be known here. The library may be
// there, and lack another one.
std::string missing_for(const std::string& name, const std::vector<std::string>& folders) {
  std::string place = name;
  for (const std::string& folder : folders) {
    std::string file = folder;
    file.append("/").append(name);
    if (access(file.c_str(), F_OK) == 0) {
      place = std::move(file);
      break;
    }
  }
  return dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr ? missing_library() : "";
}

}  // namespace

Error with_missing_libraries(const LinkError& failure, const std::string& path) {
  const ElfFile file = read_elf_file(path);
  std::vector<std::string> missing;
  for (const std::string& name : file.needed) {
    std::string lacking = missing_for(name, file.search_folders);
    if (!lacking.empty() && std::find(missing.begin(), missing.end(), lacking) == missing.end()) {
      missing.push_back(std::move(lacking));
    }
  }
  if (missing.empty()) {
    Error error(failure);
    return error.with_hint("build the plugin against the libraries of this machine");
  }
  std::string text = "cannot load " + escaped(path) + ": ";
  text += missing.size() == 1 ? "a library is missing: " : "libraries are missing: ";
  for (std::size_t i = 0; i < missing.size(); ++i) {
    text += (i == 0 ? "" : ", ") + escaped(missing[i]);
  }
  Error error(failure.status(), text, failure.backend());
  return error.with_hint("install what provides " +
                         std::string(missing.size() == 1 ? "it" : "them") +
                         ", or add its folder to LD_LIBRARY_PATH");
}

}  // namespace collet::loader
