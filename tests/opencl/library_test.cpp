// SPDX-License-Identifier: Apache-2.0
// The plugin where there is no OpenCL.
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

bool says(const char* text) { return last_report().message.find(text) != std::string::npos; }

TEST_CASE("PLUG-ROOT-7 without OpenCL there are no devices, and the text says what to install") {
  host_options()["library"] = "/no/such/folder/libOpenCL.so.1";
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  for (int i = 0; i < 2; ++i) {
    std::uint32_t count = 0;
    CHECK(root->device_count(&count) == COLLET_ERROR_UNAVAILABLE);
    CHECK(last_report().status == COLLET_ERROR_UNAVAILABLE);
    CHECK(says("/no/such/folder/libOpenCL.so.1"));
    CHECK(says("install"));
    CHECK(says("COLLET_OPENCL_LIBRARY"));
  }
}

TEST_CASE(
    "PLUG-ROOT-7 a library is not looked for in the current directory, and the text says so") {
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  for (const char* name : {"", "./libOpenCL.so.1", "lib/libOpenCL.so.1"}) {
    host_options()["library"] = name;
    std::uint32_t count = 0;
    CHECK(root->device_count(&count) == COLLET_ERROR_UNAVAILABLE);
    CHECK(says("current directory"));
  }
}

TEST_CASE("PLUG-ROOT-7 a library that is not OpenCL is named, with what it lacks") {
  host_options()["library"] = "libc.so.6";
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  std::uint32_t count = 0;
  CHECK(root->device_count(&count) == COLLET_ERROR_UNAVAILABLE);
  CHECK(says("libc.so.6 lacks cl"));
}

}  // namespace
}  // namespace collet::test
