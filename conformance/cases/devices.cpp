// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

std::uint32_t device_count(const collet_plugin_t& root) {
  std::uint32_t count = UINT32_MAX;
  expect_ok(call("root.device_count", root.device_count, &count), "device_count");
  return count;
}

/** What lies behind the NUL is nobody's, and is cleared. */
template <std::size_t N>
void expect_text(char (&text)[N], const char* name) {
  void* const end = std::memchr(text, '\0', N);
  if (end == nullptr) fail(std::string(name) + " has no NUL at its end");
  std::memset(end, 0, static_cast<std::size_t>(text + N - static_cast<char*>(end)));
}

void expect_texts(collet_device_properties_t& out) {
  expect_text(out.id, "id");
  expect_text(out.name, "name");
  expect_text(out.vendor, "vendor");
  expect_text(out.capability, "capability");
  expect_text(out.runtime_version, "runtime_version");
  expect_text(out.built_against, "built_against");
  expect_text(out.pci_address, "pci_address");
  expect_text(out.uuid, "uuid");
  expect_text(out.program_formats, "program_formats");
  expect_text(out.compiler, "compiler");
}

collet_device_properties_t properties_of(const collet_plugin_t& root, std::uint32_t index) {
  auto out = make_struct<collet_device_properties_t>();
  expect_ok(call("root.device_properties", root.device_properties, index, &out),
            "device_properties");
  expect_texts(out);
  return out;
}

std::vector<std::string> device_ids(const collet_plugin_t& root) {
  std::vector<std::string> ids;
  for (std::uint32_t i = 0; i < device_count(root); ++i)
    ids.emplace_back(properties_of(root, i).id);
  return ids;
}

void expect_same(const collet_device_properties_t& a, const collet_device_properties_t& b,
                 std::string_view otherwise) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(&a) + sizeof(a.base);
  const auto* const second = reinterpret_cast<const std::uint8_t*>(&b) + sizeof(b.base);
  expect(std::equal(first, first + sizeof(a) - sizeof(a.base), second), otherwise);
}

}  // namespace

CONFORMANCE_CASE("PLUG-DEV-1 the number and order of devices stay as they are",
                 clauses("PLUG-DEV-1"), kMandatory,
                 does("Lists the devices again and again, around opening and using one.")) {
  const collet_plugin_t& root = test.plugin().root();
  const std::vector<std::string> before = device_ids(root);
  expect(!before.empty(), "there is no device");
  for (std::size_t i = 0; i < before.size(); ++i) {
    expect(std::count(before.begin(), before.end(), before[i]) == 1,
           "two devices are called " + before[i]);
  }
  for (int round = 0; round < 10; ++round) {
    {
      const Stream stream(test.device());
      expect(device_ids(root) == before, "the list of devices changed while one was open");
    }
    test.close_device();
    expect(device_ids(root) == before, "the list of devices changed after one was closed");
  }
}

CONFORMANCE_CASE(
    "PLUG-DEV-2 an index that is not below the count is refused", clauses("PLUG-DEV-2"), kMandatory,
    does("Describes and opens the devices count, count + 1, and the greatest index.")) {
  const collet_plugin_t& root = test.plugin().root();
  const std::uint32_t count = device_count(root);
  for (const std::uint32_t index : {count, count + 1, UINT32_MAX / 2, UINT32_MAX}) {
    const std::string name = "device " + std::to_string(index) + " of " + std::to_string(count);
    auto out = make_struct<collet_device_properties_t>();
    expect_status(call("root.device_properties", root.device_properties, index, &out),
                  COLLET_ERROR_NO_SUCH_DEVICE, "device_properties, " + name);
    collet_plugin_device_t* device = nullptr;
    expect_status(call("root.device_open", root.device_open, index, &device),
                  COLLET_ERROR_NO_SUCH_DEVICE, "device_open, " + name);
    expect(device == nullptr, "a failing device_open wrote to its out parameter");
  }
}

CONFORMANCE_CASE("PLUG-DEV-3 each property is written, and each text ends", clauses("PLUG-DEV-3"),
                 kMandatory, does("Describes each device into two differently poisoned structs.")) {
  const collet_plugin_t& root = test.plugin().root();
  for (std::uint32_t i = 0; i < device_count(root); ++i) {
    collet_device_properties_t first;
    collet_device_properties_t second;
    std::memset(&first, 0x5A, sizeof(first));
    std::memset(&second, 0xA5, sizeof(second));
    first.base = second.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof(first), nullptr};
    expect_ok(call("root.device_properties", root.device_properties, i, &first),
              "device_properties");
    expect_ok(call("root.device_properties", root.device_properties, i, &second),
              "device_properties");
    expect_texts(first);
    expect_texts(second);
    expect_same(first, second, "some bytes were left as the caller had them");
  }
}

CONFORMANCE_CASE("PLUG-DEV-3 properties are consistent, and the same before and after opening",
                 clauses("PLUG-DEV-3"), kMandatory,
                 does("Compares properties with the plugin's name, with the memory traits, and "
                      "with themselves.")) {
  const collet_plugin_t& root = test.plugin().root();
  const std::uint32_t index = test.device_index();
  const collet_device_properties_t before = properties_of(root, index);
  expect(before.id == std::string(root.name) + ":" + std::to_string(index),
         "id is \"" + std::string(before.id) + "\", which does not select device " +
             std::to_string(index));
  expect(before.kind >= COLLET_DEVICE_KIND_CPU && before.kind <= COLLET_DEVICE_KIND_SIMULATED,
         "kind is " + std::to_string(before.kind));
  constexpr std::uint32_t kFlags = COLLET_DEVICE_HOST_VISIBLE | COLLET_DEVICE_UNIFIED_MEMORY |
                                   COLLET_DEVICE_INLINE_STREAMS | COLLET_DEVICE_DRIVER_COMPILES;
  expect((before.flags & ~kFlags) == 0, "flags has unknown bits");
  expect(before.numa_node >= -1, "numa_node is less than -1");
  expect(before.priority_greatest <= before.priority_least,
         "priority_greatest, the most urgent one, is greater than priority_least");
  expect((before.native_types & before.emulated_types) == 0,
         "a type is native and emulated at once");
  Device& device = test.device();
  expect_same(before, properties_of(root, index), "properties changed when the device was opened");
  std::uint64_t free_bytes = UINT64_MAX;
  std::uint64_t total_bytes = 0;
  expect_ok(call("memory.info", device.memory().info, device.handle(), &free_bytes, &total_bytes),
            "memory.info");
  expect(total_bytes == before.memory_bytes, "memory_bytes is not the total of memory.info");
  expect(free_bytes <= total_bytes, "more memory is free than there is");
  const std::uint64_t largest = device.traits(COLLET_MEMORY_DEVICE).max_allocation_bytes;
  expect(before.max_allocation_bytes == 0 || before.max_allocation_bytes == largest,
         "max_allocation_bytes is not that of the memory traits");
}

CONFORMANCE_CASE("PLUG-DEV-4 a device can be opened, closed and opened again",
                 clauses("PLUG-DEV-4"), kMandatory,
                 does("Opens the device ten times, and computes on it each time.")) {
  for (int round = 0; round < 10; ++round) {
    {
      Device& device = test.device();
      const Bytes sent = payload(1000, static_cast<std::uint64_t>(round));
      const Memory memory(device, sent.size());
      const Stream stream(device);
      stream.upload(memory, sent);
      expect_bytes(stream.download(memory), sent,
                   "what was copied after opening " + std::to_string(round + 1) + " times");
    }
    test.close_device();
  }
}

}  // namespace collet::conformance
