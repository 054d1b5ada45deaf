// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

const void* no_interface(const collet_host_t*, collet_host_interface_t) { return nullptr; }

TEST_CASE("PLUG-ROOT-1 the query gives the same root table each time") {
  const collet_plugin_t* again = nullptr;
  REQUIRE(plugin_query()(host_services(), &again) == COLLET_OK);
  CHECK(again == plugin().root);
  CHECK(std::string(again->name) == "cpu");
  CHECK(again->abi_version == COLLET_ABI_VERSION);
  CHECK(again->struct_size == sizeof(collet_plugin_t));
}

TEST_CASE("PLUG-ROOT-2 tables are complete") {
  // Every table is its head and function pointers.
  const auto is_complete = [](const void* table, std::size_t head_bytes) {
    std::uint32_t size = 0;
    std::memcpy(&size, table, sizeof(size));
    for (std::size_t at = head_bytes; at < size; at += sizeof(void*)) {
      const void* slot = nullptr;
      std::memcpy(&slot, static_cast<const char*>(table) + at, sizeof(slot));
      if (slot == nullptr) return false;
    }
    return true;
  };
  CHECK(is_complete(plugin().root, 8));
  CHECK(is_complete(plugin().memory, 8));
  CHECK(is_complete(plugin().stream, 8));
  CHECK(is_complete(plugin().event, 8));
  CHECK(is_complete(plugin().program, 8));
}

TEST_CASE("PLUG-ROOT-3 an absent interface is answered with a reason") {
  for (const int id : {600, 701, 800, 900, 1000, 1100, 1201, 1, 102}) {
    const void* table = nullptr;
    const char* reason = nullptr;
    CHECK(plugin().root->device_interface(plugin().device, static_cast<collet_interface_t>(id),
                                          &table, &reason) == COLLET_ERROR_UNSUPPORTED);
    CHECK(table == nullptr);
    REQUIRE(reason != nullptr);
    CHECK(std::strlen(reason) > 0);
    CHECK(last_report().status == COLLET_ERROR_UNSUPPORTED);
  }
}

TEST_CASE("PLUG-ROOT-4 a host that is too old is refused, a newer one is not") {
  collet_host_t other = *host_services();
  const collet_plugin_t* root = nullptr;
  other.abi_version = 7;
  CHECK(plugin_query()(&other, &root) == COLLET_ERROR_INCOMPATIBLE);
  CHECK(last_report().message.find("0.7") != std::string::npos);
  CHECK(last_report().message.find("1.0") != std::string::npos);
  CHECK(root == nullptr);

  other.abi_version = COLLET_ABI_VERSION + 3;
  CHECK(plugin_query()(&other, &root) == COLLET_OK);

  other.get_interface = no_interface;
  root = nullptr;
  CHECK(plugin_query()(&other, &root) == COLLET_ERROR_INCOMPATIBLE);
  CHECK(root == nullptr);
}

}  // namespace
}  // namespace collet::test
