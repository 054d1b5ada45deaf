// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

#include "call.hpp"

namespace collet::conformance {
namespace {

constexpr std::string_view kFilePrefix = "libcollet_";

std::string name_of(const std::string& path) {
  std::string stem = std::filesystem::path(path).stem().string();
  if (stem.starts_with(kFilePrefix)) stem.erase(0, kFilePrefix.size());
  return stem;
}

}  // namespace

PluginLibrary::PluginLibrary(const std::string& path)
    // With a slash in it, so that it is a file and not a name to search for.
    : path_(std::filesystem::absolute(path).string()), name_(name_of(path)) {
  note_call("dlopen");
  void* const library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw LoadError(dlerror());
  query_ = reinterpret_cast<collet_plugin_query_fn_t>(dlsym(library, COLLET_PLUGIN_QUERY_SYMBOL));
  if (query_ == nullptr) {
    throw LoadError(path_ + " does not export " COLLET_PLUGIN_QUERY_SYMBOL "; it is no plugin");
  }
}

collet_status_t PluginLibrary::query(const Host& host, const collet_plugin_t*& out_root) const {
  return call(COLLET_PLUGIN_QUERY_SYMBOL, query_, host.table(), &out_root);
}

Plugin::Plugin(const std::string& path)
    : library_(path), host_(Host::create(library_.file_name())) {
  const collet_status_t status = library_.query(host_, root_);
  if (status != COLLET_OK) {
    throw LoadError("the plugin refuses: " + status_name(status) + ": " + last_report().message);
  }
  if (root_ == nullptr) throw LoadError("the plugin gives no root table");
}

std::string Plugin::name() const {
  return root_->name == nullptr ? library_.file_name() : root_->name;
}

}  // namespace collet::conformance
