// SPDX-License-Identifier: Apache-2.0
// One candidate for a back end: found by discovery, loaded at its first use, kept for good.
#pragma once

#include <collet/device.h>
#include <collet/plugin.h>

#include <cstdint>
#include <string>

namespace collet::loader {

struct Device;

class Backend {
 public:
  [[nodiscard]] const std::string& name() const noexcept;

  // The root table. Loads, negotiates and checks at the first call; throws the same Error at every
  // later call if that fails.
  const collet_plugin_t& root();

  // Number of devices; throws Error where the back end is unusable.
  std::uint32_t device_count();

  // The open device of that index and the handle that names it, opened at the first call.
  collet_device_t* open(std::uint32_t index);
};

}  // namespace collet::loader
