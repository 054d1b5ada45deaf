// SPDX-License-Identifier: Apache-2.0
#include "plugin_facts.hpp"

#include <cstring>

#include "descriptor.hpp"

namespace collet::loader {
namespace {

constexpr std::uint8_t kDescribed = 0;
constexpr std::uint8_t kFailed = 1;

}  // namespace

bool PluginFacts::same_devices(const PluginFacts& other) const {
  return std::equal(devices.begin(), devices.end(), other.devices.begin(), other.devices.end(),
                    [](const DeviceFacts& a, const DeviceFacts& b) {
                      return !a.failure && !b.failure &&
                             std::memcmp(&a.properties, &b.properties, sizeof a.properties) == 0;
                    });
}

void mend(collet_device_properties_t& properties) noexcept {
  properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
  terminate(properties.id);
  terminate(properties.name);
  terminate(properties.vendor);
  terminate(properties.capability);
  terminate(properties.runtime_version);
  terminate(properties.built_against);
  terminate(properties.pci_address);
  terminate(properties.uuid);
  terminate(properties.program_formats);
  terminate(properties.compiler);
  if (number_of(properties.kind) > COLLET_DEVICE_KIND_MAX) {
    properties.kind = COLLET_DEVICE_KIND_MAX;
  }
}

void write_error(ByteWriter& writer, const Error& error) {
  writer.put(static_cast<std::int32_t>(error.status()));
  writer.put(error.native_code());
  writer.put_text(error.native_name());
  writer.put_text(error.message());
  writer.put_text(error.backend());
  writer.put_text(error.hint());
}

Error read_error(ByteReader& reader) {
  const auto status = reader.get<std::int32_t>();
  if (status >= 0) {
    throw BadBytes();
  }
  const auto code = reader.get<std::int64_t>();
  const std::string name(reader.get_text());
  const std::string message(reader.get_text());
  const std::string backend(reader.get_text());
  Error error(static_cast<collet_status_t>(status), message, backend);
  error.with_native(code, name).with_hint(std::string(reader.get_text()));
  return error;
}

void write_facts(ByteWriter& writer, const PluginFacts& facts) {
  writer.put_text(facts.version);
  writer.put_text(facts.vendor);
  writer.put(static_cast<std::uint32_t>(facts.devices.size()));
  for (const DeviceFacts& device : facts.devices) {
    writer.put(device.failure ? kFailed : kDescribed);
    if (device.failure) {
      write_error(writer, *device.failure);
    } else {
      writer.put(device.properties);
    }
  }
}

PluginFacts read_facts(ByteReader& reader) {
  PluginFacts facts;
  facts.version = reader.get_text();
  facts.vendor = reader.get_text();
  const auto count = reader.get<std::uint32_t>();
  if (count > kMaxDevices) {
    throw BadBytes();
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    DeviceFacts& device = facts.devices.emplace_back();
    if (reader.get<std::uint8_t>() == kDescribed) {
      const std::string_view bytes = reader.take(sizeof device.properties);
      std::memcpy(&device.properties, bytes.data(), bytes.size());
      mend(device.properties);
    } else {
      device.failure.emplace(read_error(reader));
    }
  }
  return facts;
}

}  // namespace collet::loader
