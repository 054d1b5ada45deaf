// SPDX-License-Identifier: Apache-2.0
#include "interface_check.hpp"

#include <functional>
#include <string>

#include "error.hpp"
#include "support/catch.hpp"
#include "support/fake_device.hpp"

namespace collet::loader {
namespace {

collet_status_t count(std::uint32_t* /*out_count*/) { return COLLET_OK; }
collet_status_t properties(std::uint32_t /*index*/, collet_device_properties_t* /*out*/) {
  return COLLET_OK;
}

collet_plugin_t sound_root() {
  return {sizeof(collet_plugin_t),
          COLLET_ABI_VERSION,
          "fake",
          "1",
          "vendor",
          count,
          properties,
          test::fake_device_open,
          test::fake_device_close,
          test::fake_device_interface};
}

std::string fault(const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    CHECK(error.status() == COLLET_ERROR_INCOMPATIBLE);
    CHECK(error.backend() == "fake");
    return error.message();
  }
  return "sound";
}

std::string root_fault(const collet_plugin_t& root) {
  return fault([&] { check_root(&root, "fake"); });
}

TEST_CASE("interface check: a complete root table of this version is sound") {
  CHECK(root_fault(sound_root()) == "sound");
}

TEST_CASE("interface check: an older and a newer minor version, and a longer table, are sound") {
  collet_plugin_t root = sound_root();
  root.abi_version = (COLLET_ABI_MAJOR << 16) | 0xffff;
  root.struct_size = 4096;
  CHECK(root_fault(root) == "sound");
  root.abi_version = COLLET_ABI_MAJOR << 16;
  CHECK(root_fault(root) == "sound");
}

TEST_CASE("HOST-LOAD-5 another major version is refused, and both are named") {
  collet_plugin_t root = sound_root();
  root.abi_version = (2U << 16) | 3;
  // Nothing behind the version is looked at: another major version may have it elsewhere.
  root.struct_size = 8;
  CHECK(root_fault(root) ==
        "back end \"fake\" is built for ABI 2.3, and this library has ABI 1.0; the major numbers "
        "must agree");
  root.abi_version = 0;
  CHECK(root_fault(root).find("is built for ABI 0.0,") != std::string::npos);
}

TEST_CASE("interface check: a table that is too short is refused") {
  collet_plugin_t root = sound_root();
  root.struct_size = sizeof(collet_plugin_t) - 1;
  CHECK(root_fault(root) ==
        "back end \"fake\" has a root table of 71 bytes, and ABI 1.0 needs 72; does it set "
        "struct_size?");
  root.struct_size = 0;
  CHECK(root_fault(root).find("of 0 bytes") != std::string::npos);
}

TEST_CASE("interface check: no root table is refused") {
  CHECK(fault([] { check_root(nullptr, "fake"); }).find("gives no root table") !=
        std::string::npos);
}

TEST_CASE("interface check: the name must be that of the file") {
  collet_plugin_t root = sound_root();
  root.name = "other\x1b";
  CHECK(root_fault(root) ==
        "back end \"fake\" calls itself \"other\\x1b\", so its file should be called "
        "libcollet_other\\x1b.so");
}

TEST_CASE("HOST-LOAD-5 each NULL slot of the root table is named") {
  collet_plugin_t root = sound_root();
  const auto expect = [&](const char* slot) {
    CHECK(root_fault(root) ==
          "back end \"fake\" has a NULL slot: \"" + std::string(slot) + "\" of its root table");
    root = sound_root();
  };
  root.name = nullptr;
  expect("name");
  root.version = nullptr;
  expect("version");
  root.vendor = nullptr;
  expect("vendor");
  root.device_count = nullptr;
  expect("device_count");
  root.device_properties = nullptr;
  expect("device_properties");
  root.device_open = nullptr;
  expect("device_open");
  root.device_close = nullptr;
  expect("device_close");
  root.device_interface = nullptr;
  expect("device_interface");
}

TEST_CASE("interface check: complete interface tables are sound") {
  CHECK_NOTHROW(check_complete(COLLET_INTERFACE_MEMORY_V1, &test::kFakeMemory, "fake"));
  CHECK_NOTHROW(check_complete(COLLET_INTERFACE_STREAM_V1, &test::kFakeStream, "fake"));
  CHECK_NOTHROW(check_complete(COLLET_INTERFACE_EVENT_V1, &test::kFakeEvent, "fake"));
}

TEST_CASE("HOST-LOAD-5 a NULL slot of an interface table is named with its table") {
  auto memory = test::kFakeMemory;
  memory.info = nullptr;
  CHECK(fault([&] { check_complete(COLLET_INTERFACE_MEMORY_V1, &memory, "fake"); }) ==
        "back end \"fake\" has a NULL slot: \"info\" of its memory table");
  auto stream = test::kFakeStream;
  stream.create = nullptr;
  CHECK(fault([&] { check_complete(COLLET_INTERFACE_STREAM_V1, &stream, "fake"); }) ==
        "back end \"fake\" has a NULL slot: \"create\" of its stream table");
  auto event = test::kFakeEvent;
  event.elapsed = nullptr;
  CHECK(fault([&] { check_complete(COLLET_INTERFACE_EVENT_V1, &event, "fake"); }) ==
        "back end \"fake\" has a NULL slot: \"elapsed\" of its event table");
}

TEST_CASE("interface check: every interface of ABI 1.0 has its slots checked") {
  struct {
    std::uint32_t struct_size;
    const void* slots[32];
  } empty{sizeof empty, {}};
  const auto id =
      GENERATE(COLLET_INTERFACE_MEMORY_V1, COLLET_INTERFACE_STREAM_V1, COLLET_INTERFACE_EVENT_V1,
               COLLET_INTERFACE_PROGRAM_V1, COLLET_INTERFACE_OPS_V1, COLLET_INTERFACE_POOL_V1,
               COLLET_INTERFACE_PEER_V1);
  CHECK(fault([&] { check_complete(id, &empty, "fake"); }).find("has a NULL slot") !=
        std::string::npos);
  CHECK(fault([&] { check_complete(id, nullptr, "fake"); }).find("but gives NULL") !=
        std::string::npos);
  empty.struct_size = 12;
  CHECK(fault([&] { check_complete(id, &empty, "fake"); }).find("table of 12 bytes") !=
        std::string::npos);
}

TEST_CASE("interface check: a table of an unknown interface must be there, and no more") {
  const std::uint32_t table = 4;
  CHECK_NOTHROW(check_complete(COLLET_INTERFACE_GRAPH_X1, &table, "fake"));
  CHECK(fault([] { check_complete(COLLET_INTERFACE_GRAPH_X1, nullptr, "fake"); }) ==
        "back end \"fake\" answers OK for interface 600, but gives NULL");
}

}  // namespace
}  // namespace collet::loader
