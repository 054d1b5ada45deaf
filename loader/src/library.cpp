// SPDX-License-Identifier: Apache-2.0
// The only file that knows Boost.DLL.
#include "library.hpp"

#define BOOST_DLL_USE_STD_FS
#include <dlfcn.h>
#include <link.h>

#include <boost/dll/shared_library.hpp>
#include <climits>
#include <filesystem>
#include <forward_list>
#include <mutex>
#include <system_error>
#include <utility>

namespace collet::loader {
namespace {

// The dynamic linker's own words about the last failure, without the path that we say ourselves.
std::string linker_reason(const std::string& path) {
  const char* text = dlerror();
  if (text == nullptr) {
    return "the dynamic linker gives no reason";
  }
  std::string reason = text;
  const std::string prefix = path + ": ";
  if (reason.starts_with(prefix)) {
    reason.erase(0, prefix.size());
  }
  return reason;
}

// Puts a library where no destructor unloads it.
const boost::dll::shared_library& keep(boost::dll::shared_library&& library) {
  static std::mutex mutex;
  static auto& libraries = *new std::forward_list<boost::dll::shared_library>;
  const std::lock_guard lock(mutex);
  libraries.push_front(std::move(library));
  return libraries.front();
}

}  // namespace

void* load_symbol(const std::string& path, const char* symbol) {
  namespace dll = boost::dll;
  std::error_code code;
  dll::shared_library library;
  library.load(path, dll::load_mode::rtld_now | dll::load_mode::rtld_local, code);
  if (code) {
    throw LinkError(COLLET_ERROR_UNAVAILABLE, "cannot load " + path + ": " + linker_reason(path));
  }
  const dll::shared_library& kept = keep(std::move(library));
  if (!kept.has(symbol)) {
    throw Error(COLLET_ERROR_INCOMPATIBLE,
                path + " does not export " + symbol + ", so it is not a Collet plugin");
  }
  return reinterpret_cast<void*>(&kept.get<char>(symbol));
}

std::string folder_of_address(const void* address) {
  namespace fs = std::filesystem;
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  fs::path file = "/proc/self/exe";
  // The program itself has no name, and asking for its origin crashes.
  if (map->l_name[0] != '\0') {
    // The name may be relative to what was the current directory; the origin is not.
    char origin[PATH_MAX];
    if (dlinfo(map, RTLD_DI_ORIGIN, origin) != 0) {
      return {};
    }
    file = fs::path(origin) / fs::path(map->l_name).filename();
  }
  std::error_code code;
  file = fs::canonical(file, code);
  return code ? std::string() : file.parent_path().string();
}

}  // namespace collet::loader
