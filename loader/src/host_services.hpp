// SPDX-License-Identifier: Apache-2.0
// What a plugin may ask its host for: log lines, error reports, options.
#pragma once

#include <collet/plugin/host.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace collet::loader {

// The host as one plugin sees it. Lives as long as the process.
class HostServices : public collet_host_t {
 public:
  // `defaults` are the options that count where the environment does not set them.
  explicit HostServices(std::string backend, std::map<std::string, std::string> defaults = {});
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;

  [[nodiscard]] const std::string& backend() const noexcept { return backend_; }

  // The value of an option, as it was when it was first asked for; NULL where it is not set.
  const char* option(const char* name);

 private:
  const std::string backend_;
  const std::map<std::string, std::string> defaults_;
  std::mutex mutex_;
  std::map<std::string, std::optional<std::string>> options_;
};

// Name of the variable that holds an option: COLLET_<BACKEND>_<OPTION>.
std::string option_variable(std::string_view backend, std::string_view option);

}  // namespace collet::loader
