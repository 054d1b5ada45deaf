// SPDX-License-Identifier: Apache-2.0
// A plugin that runs in this process: loaded, negotiated with, and asked for its devices.
#pragma once

#include <collet/plugin.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "error.hpp"
#include "host_services.hpp"
#include "plugin_facts.hpp"
#include "process.hpp"

namespace collet::loader {

// The Error for an exception that a plugin let out of a C function; `what` may be empty.
[[nodiscard]] Error exception_error(const std::string& backend, const std::string& what);

// Runs code of a plugin. What it throws, against the rules, becomes an Error; what it calls of
// Collet is refused as re-entrant.
template <class Call>
auto call_plugin(const std::string& backend, Call&& call) {
  const CallbackScope scope;
  // A report that an earlier, successful call has left is not about this one.
  drop_report();
  try {
    return std::forward<Call>(call)();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw exception_error(backend, error.what());
  } catch (...) {
    throw exception_error(backend, "");
  }
}

class PluginModule {
 public:
  // Does nothing yet. `host` must live as long as the process.
  PluginModule(std::string backend, std::string path, HostServices& host)
      : backend_(std::move(backend)), path_(std::move(path)), host_(host) {}

  // The steps, each once and in this order. Throw Error.
  void load();
  void negotiate();
  void count();

  // The rest needs all steps.
  [[nodiscard]] const collet_plugin_t& root() const noexcept { return *root_; }
  [[nodiscard]] std::uint32_t device_count() const noexcept { return device_count_; }
  // Properties of a device, without an id. Throws Error.
  [[nodiscard]] collet_device_properties_t properties(std::uint32_t index) const;
  // All that the plugin tells of itself.
  [[nodiscard]] PluginFacts facts() const;

 private:
  const std::string backend_;
  const std::string path_;
  HostServices& host_;
  collet_plugin_query_fn_t query_ = nullptr;
  const collet_plugin_t* root_ = nullptr;
  std::uint32_t device_count_ = 0;
};

}  // namespace collet::loader
