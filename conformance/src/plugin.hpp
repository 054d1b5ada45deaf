// SPDX-License-Identifier: Apache-2.0
/** A plugin's library, loaded as a host loads it. */
#pragma once

#include <collet/plugin.h>

#include <stdexcept>
#include <string>

#include "host.hpp"

namespace collet::conformance {

/** A library that cannot be loaded, or is no plugin. */
class LoadError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** An open library. It is never closed, as no host closes one. */
class PluginLibrary {
 public:
  /** @throws LoadError */
  explicit PluginLibrary(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /** "acme" of .../libcollet_acme.so; the whole stem where the file is called otherwise. */
  [[nodiscard]] const std::string& file_name() const noexcept { return name_; }

  /** Calls the exported function. */
  collet_status_t query(const Host& host, const collet_plugin_t*& out_root) const;

 private:
  std::string path_;
  std::string name_;
  collet_plugin_query_fn_t query_ = nullptr;
};

/** The plugin of this process: loaded and asked once. */
class Plugin {
 public:
  /** @throws LoadError if the library does not load or the query fails. */
  explicit Plugin(const std::string& path);

  [[nodiscard]] const PluginLibrary& library() const noexcept { return library_; }
  [[nodiscard]] const Host& host() const noexcept { return host_; }
  [[nodiscard]] const collet_plugin_t& root() const noexcept { return *root_; }
  [[nodiscard]] std::string name() const;

 private:
  PluginLibrary library_;
  Host& host_;
  const collet_plugin_t* root_ = nullptr;
};

}  // namespace collet::conformance
