// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

/** The plugin with options of the test's own; nothing may have been asked of it before. */
const collet_plugin_t* plugin_with(const char* option, const char* value) {
  host_options()[option] = value;
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  return root;
}

std::uint32_t count_of(const collet_plugin_t* root) {
  std::uint32_t count = 99;
  REQUIRE(root->device_count(&count) == COLLET_OK);
  return count;
}

TEST_CASE("PLUG-DEV-1 there are as many devices as COLLET_SIM_DEVICES says, and no more later") {
  const collet_plugin_t* root = plugin_with("devices", "64");
  CHECK(count_of(root) == 64);
  host_options()["devices"] = "1";
  CHECK(count_of(root) == 64);
}

TEST_CASE("PLUG-DEV-1 there are two devices where nothing is said") {
  host_options().clear();
  CHECK(count_of(plugin_with("threads", "1")) == 2);
}

TEST_CASE("PLUG-DEV-2 with no devices none can be opened") {
  const collet_plugin_t* root = plugin_with("devices", "0");
  CHECK(count_of(root) == 0);
  collet_plugin_device_t* device = nullptr;
  CHECK(root->device_open(0, &device) == COLLET_ERROR_NO_SUCH_DEVICE);
  CHECK(last_report().message.find("COLLET_SIM_DEVICES") != std::string::npos);
}

TEST_CASE("DEV options that cannot be parsed are errors that name their variable") {
  std::uint32_t count = 99;
  for (const char* value : {"", "65", "-1", "1 ", "two", "99999999999999999999"}) {
    CHECK(plugin_with("devices", value)->device_count(&count) == COLLET_ERROR_MALFORMED);
    CHECK(last_report().message.find("COLLET_SIM_DEVICES is \"" + std::string(value) + "\"") !=
          std::string::npos);
  }
  host_options()["devices"] = "1";
  for (const char* value : {"", "0", "1KiB", "1048575", "2TiB", "1MB", "1 MiB", "MiB", "-1GiB",
                            "1.5GiB", "18446744073709551615KiB"}) {
    CHECK(plugin_with("memory", value)->device_count(&count) == COLLET_ERROR_MALFORMED);
    CHECK(last_report().message.find("COLLET_SIM_MEMORY is \"" + std::string(value) + "\"") !=
          std::string::npos);
  }
  CHECK(count == 99);
  // Corrected, it works.
  CHECK(count_of(plugin_with("memory", "3MiB")) == 1);
  CHECK(count_of(plugin_with("memory", "4MiB")) == 1);
  auto properties = headed<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  REQUIRE(plugin().root->device_properties(0, &properties) == COLLET_OK);
  CHECK(properties.memory_bytes == 3 * kMebi);
}

TEST_CASE("PLUG-DEV-3 properties describe a device that shares nothing with the host") {
  auto properties = headed<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  REQUIRE(plugin().root->device_properties(1, &properties) == COLLET_OK);
  CHECK(std::string(properties.id) == "sim:1");
  CHECK(properties.kind == COLLET_DEVICE_KIND_SIMULATED);
  CHECK(properties.flags == 0);
  CHECK(properties.memory_bytes == 1024 * kMebi);
  CHECK(properties.numa_node == -1);
  CHECK(std::string(properties.program_formats) == "host-so collet-c");
  CHECK(std::string(properties.compiler).starts_with('/'));
  CHECK((properties.native_types & properties.emulated_types) == 0);
  CHECK(plugin().root->device_properties(2, &properties) == COLLET_ERROR_NO_SUCH_DEVICE);
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
