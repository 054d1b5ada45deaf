// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

/** The plugin with options of the test's own; nothing may have been asked of it before. */
const collet_plugin_t* plugin_with(const char* option, const char* value) {
  host_options()[option] = value;
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  return root;
}

TEST_CASE("PLUG-DEV-1 there are as many devices as COLLET_CPU_DEVICES says") {
  const collet_plugin_t* root = plugin_with("devices", "64");
  std::uint32_t count = 0;
  REQUIRE(root->device_count(&count) == COLLET_OK);
  CHECK(count == 64);
  host_options()["devices"] = "1";
  REQUIRE(root->device_count(&count) == COLLET_OK);
  CHECK(count == 64);
}

TEST_CASE("PLUG-DEV-1 there is one device where nothing is said") {
  host_options().clear();
  std::uint32_t count = 0;
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  REQUIRE(root->device_count(&count) == COLLET_OK);
  CHECK(count == 1);
}

TEST_CASE("DEV an option that cannot be parsed is an error that names its variable") {
  for (const char* value :
       {"", "0", "65", "-1", "+1", " 1", "1 ", "1x", "0x1", "1.0", "99999999999999999999"}) {
    const collet_plugin_t* root = plugin_with("devices", value);
    std::uint32_t count = 0;
    CHECK(root->device_count(&count) == COLLET_ERROR_MALFORMED);
    CHECK(last_report().message.find("COLLET_CPU_DEVICES is \"" + std::string(value) + "\"") !=
          std::string::npos);
    CHECK(last_report().message.find("from 1 to 64") != std::string::npos);
    CHECK(count == 0);
  }
  // Corrected, it works.
  std::uint32_t count = 0;
  CHECK(plugin_with("devices", "3")->device_count(&count) == COLLET_OK);
  CHECK(count == 3);
}

TEST_CASE("DEV the thread budget is parsed as strictly") {
  const collet_plugin_t* root = plugin_with("threads", "many");
  collet_plugin_device_t* device = nullptr;
  CHECK(root->device_open(0, &device) == COLLET_ERROR_MALFORMED);
  CHECK(last_report().message.find("COLLET_CPU_THREADS") != std::string::npos);
}

TEST_CASE("PLUG-DEV-2 an index past the last device does not exist") {
  auto properties = headed<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  collet_plugin_device_t* device = nullptr;
  for (const std::uint32_t index : {2U, 3U, UINT32_MAX}) {
    CHECK(plugin().root->device_properties(index, &properties) == COLLET_ERROR_NO_SUCH_DEVICE);
    CHECK(plugin().root->device_open(index, &device) == COLLET_ERROR_NO_SUCH_DEVICE);
    CHECK(device == nullptr);
    CHECK(last_report().message.find("cpu:1") != std::string::npos);
  }
}

TEST_CASE("PLUG-DEV-3 properties describe the processor") {
  auto properties = headed<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  REQUIRE(plugin().root->device_properties(1, &properties) == COLLET_OK);
  CHECK(std::string(properties.id) == "cpu:1");
  CHECK(std::strlen(properties.name) > 0);
  CHECK(std::string(properties.program_formats) == "host-so collet-c");
  CHECK(std::string(properties.compiler).starts_with('/'));
  CHECK(std::string(properties.runtime_version).find("oneDNN ") == 0);
  CHECK(properties.kind == COLLET_DEVICE_KIND_CPU);
  CHECK(properties.flags ==
        (COLLET_DEVICE_HOST_VISIBLE | COLLET_DEVICE_UNIFIED_MEMORY | COLLET_DEVICE_INLINE_STREAMS));
  CHECK(properties.compute_units == 4);
  CHECK(properties.memory_bytes > (std::uint64_t{1} << 28));
  CHECK(properties.numa_node == -1);
  CHECK(properties.dlpack_device_type == 1);
  CHECK((properties.native_types & properties.emulated_types) == 0);
  CHECK((properties.native_types & (1U << COLLET_TYPE_F32)) != 0);
  CHECK((properties.emulated_types & (1U << COLLET_TYPE_F16)) != 0);
}

TEST_CASE("PLUG-ROOT-5 properties are written as far as the caller's struct goes") {
  collet_device_properties_t properties;
  std::memset(&properties, 0x5A, sizeof(properties));
  properties.base.struct_size = offsetof(collet_device_properties_t, vendor);
  REQUIRE(plugin().root->device_properties(0, &properties) == COLLET_OK);
  CHECK(properties.base.type == 0x5A5A5A5A);
  CHECK(std::string(properties.id) == "cpu:0");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&properties);
  for (std::size_t i = offsetof(collet_device_properties_t, vendor); i < sizeof(properties); ++i) {
    REQUIRE(bytes[i] == 0x5A);
  }
}

TEST_CASE("PLUG-DEV-4 a device can be opened, closed and opened again") {
  collet_plugin_device_t* device = nullptr;
  REQUIRE(plugin().root->device_open(1, &device) == COLLET_OK);
  plugin().root->device_close(device);
  device = nullptr;
  REQUIRE(plugin().root->device_open(1, &device) == COLLET_OK);
  CHECK(device != nullptr);
  CHECK(device != plugin().device);
}

}  // namespace
}  // namespace collet::test
