// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/in_threads.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr collet_memory_kind_t kKinds[] = {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED,
                                           COLLET_MEMORY_SHARED};

collet_memory_traits_t traits(collet_memory_kind_t kind) {
  collet_memory_traits_t out{};
  out.struct_size = sizeof(out);
  REQUIRE(plugin().memory->traits(plugin().device, kind, &out) == COLLET_OK);
  return out;
}

std::uint64_t address(collet_plugin_memory_t* memory) {
  std::uint64_t pointer = 0;
  REQUIRE(plugin().memory->native_pointer(memory, &pointer) == COLLET_OK);
  return pointer;
}

TEST_CASE("PLUG-MEM-1 memory is aligned as its traits say, or as asked") {
  for (const collet_memory_kind_t kind : kKinds) {
    const collet_memory_traits_t facts = traits(kind);
    CHECK(facts.supported == 1);
    CHECK(facts.alignment_bytes >= 64);
    for (std::uint64_t asked = 1; asked <= facts.max_alignment_bytes; asked *= 2) {
      collet_plugin_memory_t* memory = nullptr;
      REQUIRE(plugin().memory->allocate(plugin().device, kind, 100, asked, &memory) == COLLET_OK);
      CHECK(address(memory) % std::max(asked, facts.alignment_bytes) == 0);
      plugin().memory->free(memory);
    }
  }
}

TEST_CASE("MEM an alignment beyond the greatest is refused") {
  collet_plugin_memory_t* memory = nullptr;
  const std::uint64_t asked = traits(COLLET_MEMORY_DEVICE).max_alignment_bytes * 2;
  CHECK(plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE, 1, asked, &memory) ==
        COLLET_ERROR_UNSUPPORTED);
  CHECK(memory == nullptr);
}

TEST_CASE("PLUG-MEM-2 memories of no bytes are distinct") {
  std::set<std::uint64_t> addresses;
  std::vector<collet_plugin_memory_t*> memories(100);
  for (collet_plugin_memory_t*& memory : memories) {
    REQUIRE(plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE, 0, 0, &memory) ==
            COLLET_OK);
    addresses.insert(address(memory));
  }
  CHECK(addresses.size() == memories.size());
  CHECK(addresses.count(0) == 0);
  for (collet_plugin_memory_t* memory : memories) plugin().memory->free(memory);
}

TEST_CASE("PLUG-MEM-3 live memories do not share bytes") {
  std::vector<collet_plugin_memory_t*> memories(64);
  const auto bytes = [](collet_plugin_memory_t* memory) {
    return reinterpret_cast<unsigned char*>(address(memory));
  };
  for (std::size_t i = 0; i < memories.size(); ++i) {
    REQUIRE(plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE, i + 1, 0,
                                      &memories[i]) == COLLET_OK);
    std::memset(bytes(memories[i]), static_cast<int>(i), i + 1);
  }
  for (std::size_t i = 0; i < memories.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) REQUIRE(bytes(memories[i])[k] == i);
    plugin().memory->free(memories[i]);
  }
}

TEST_CASE("PLUG-MEM-4 what does not fit is refused with figures, and everything goes on") {
  const std::uint64_t largest = traits(COLLET_MEMORY_DEVICE).max_allocation_bytes;
  for (const std::uint64_t size : {largest + 1, UINT64_MAX, UINT64_MAX - 63, UINT64_MAX / 2}) {
    collet_plugin_memory_t* memory = nullptr;
    CHECK(plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE, size, 0, &memory) ==
          COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(memory == nullptr);
    CHECK(last_report().message.find(std::to_string(largest)) != std::string::npos);
  }
  collet_plugin_memory_t* memory = nullptr;
  REQUIRE(plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE, 1 << 20, 0, &memory) ==
          COLLET_OK);
  plugin().memory->free(memory);
}

TEST_CASE("MEM allocations are counted together, and frees give back") {
  const std::uint64_t third = traits(COLLET_MEMORY_DEVICE).max_allocation_bytes / 3;
  std::vector<collet_plugin_memory_t*> memories;
  for (int round = 0; round < 2; ++round) {
    collet_status_t status = COLLET_OK;
    while (status == COLLET_OK && memories.size() < 4) {
      collet_plugin_memory_t* memory = nullptr;
      status = plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE, third, 0, &memory);
      if (status == COLLET_OK) memories.push_back(memory);
    }
    CHECK(status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(memories.size() <= 3);
    for (collet_plugin_memory_t* memory : memories) plugin().memory->free(memory);
    memories.clear();
  }
}

TEST_CASE("PLUG-MEM-5 registered memory is the caller's, at whatever address") {
  std::vector<unsigned char> own(100, 7);
  collet_plugin_memory_t* memory = nullptr;
  REQUIRE(plugin().memory->register_host(plugin().device, own.data() + 1, 98, &memory) ==
          COLLET_OK);
  void* pointer = nullptr;
  REQUIRE(plugin().memory->host_pointer(memory, &pointer) == COLLET_OK);
  CHECK(pointer == own.data() + 1);

  const Stream stream;
  const std::uint32_t pattern = 0x01020304;
  REQUIRE(plugin().stream->fill(stream.handle(), memory, 4, 92, &pattern, 4) == COLLET_OK);
  CHECK(own[4] == 7);
  CHECK(own[5] == 4);
  CHECK(own[96] == 1);
  CHECK(own[97] == 7);
  plugin().memory->free(memory);
  CHECK(own[5] == 4);
}

TEST_CASE("MEM info gives what is free, of a total that the properties have too") {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  REQUIRE(plugin().memory->info(plugin().device, &free_bytes, &total_bytes) == COLLET_OK);
  CHECK(free_bytes > 0);
  CHECK(free_bytes <= total_bytes);
  auto properties = headed<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  REQUIRE(plugin().root->device_properties(0, &properties) == COLLET_OK);
  CHECK(properties.memory_bytes == total_bytes);
}

TEST_CASE("MEM several threads allocate at once") {
  std::atomic<int> failures{0};
  in_threads(4, [&](int) {
    for (std::uint64_t i = 0; i < 500; ++i) {
      collet_plugin_memory_t* memory = nullptr;
      if (plugin().memory->allocate(plugin().device, COLLET_MEMORY_SHARED, i * 7, 0, &memory) ==
          COLLET_OK) {
        plugin().memory->free(memory);
      } else {
        ++failures;
      }
    }
  });
  CHECK(failures == 0);
}

}  // namespace
}  // namespace collet::test
