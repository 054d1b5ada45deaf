// SPDX-License-Identifier: Apache-2.0
// What a plugin tells of itself, once it has been loaded anywhere.
#pragma once

#include <collet/device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byte_stream.hpp"
#include "error.hpp"

namespace collet::loader {

// More devices than any machine has: a count beyond it is a plugin's uninitialized variable.
inline constexpr std::uint32_t kMaxDevices = 4096;

struct DeviceFacts {
  // As the plugin gives them: without an id. Meaningless where there is a failure.
  collet_device_properties_t properties{};
  // Why the device cannot be described.
  std::optional<Error> failure;
};

struct PluginFacts {
  std::string version;
  std::string vendor;
  std::vector<DeviceFacts> devices;

  // True if the devices are the same, in number, order and properties.
  [[nodiscard]] bool same_devices(const PluginFacts& other) const;
};

// Mends what a careless plugin, or a damaged file, may leave in the properties.
void mend(collet_device_properties_t& properties) noexcept;

void write_error(ByteWriter& writer, const Error& error);
void write_facts(ByteWriter& writer, const PluginFacts& facts);

// Throw BadBytes for what was not written by the functions above.
Error read_error(ByteReader& reader);
PluginFacts read_facts(ByteReader& reader);

}  // namespace collet::loader
