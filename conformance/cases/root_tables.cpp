// SPDX-License-Identifier: Apache-2.0
/** The exported function, the root table, and the tables of a device. */
#include <cstring>
#include <filesystem>
#include <string>

#include "conformance.hpp"
#include "elf_symbols.hpp"
#include "process.hpp"

namespace collet::conformance {
namespace {

std::size_t count_threads() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    count += entry.exists() ? 1 : 0;
  }
  return count;
}

/** The case fails if the child does not come to its end. */
void expect_child(const std::function<void()>& body, Place place = Place::here()) {
  const ProcessEnd end = run_in_child(body, patience());
  if (end.how == ProcessEnd::How::kExit && end.code == 0) return;
  fail("a process that loaded the plugin " + end.text(), place);
}

constexpr std::uint32_t version_of(std::uint32_t major, std::uint32_t minor) {
  return (major << 16) | minor;
}

/** Every slot after the two numbers at the head of an interface table is a pointer. */
void expect_no_null_slot(const void* table, std::size_t size, std::size_t head, const char* name) {
  const auto* const bytes = static_cast<const std::byte*>(table);
  for (std::size_t at = head; at < size; at += sizeof(void*)) {
    const void* slot = nullptr;
    std::memcpy(&slot, bytes + at, sizeof(slot));
    if (slot == nullptr) {
      fail("slot " + std::to_string((at - head) / sizeof(void*)) + " of the " + name +
           " table is NULL");
    }
  }
}

void expect_complete(const void* table, std::size_t size, const char* name) {
  std::uint32_t struct_size = 0;
  std::memcpy(&struct_size, table, sizeof(struct_size));
  if (struct_size < size) {
    fail("struct_size of the " + std::string(name) + " table is " + std::to_string(struct_size) +
         ", less than the " + std::to_string(size) + " of its version");
  }
  expect_no_null_slot(table, size, 2 * sizeof(std::uint32_t), name);
}

struct InterfaceAnswer {
  collet_status_t status;
  const void* table;
  const char* reason;
};

InterfaceAnswer ask(Device& device, collet_interface_t id) {
  InterfaceAnswer answer{COLLET_OK, nullptr, nullptr};
  answer.status = call("root.device_interface", device.plugin().root().device_interface,
                       device.handle(), id, &answer.table, &answer.reason);
  return answer;
}

}  // namespace

CONFORMANCE_CASE("PLUG-ROOT-1 the library exports its query function and nothing else",
                 clauses("PLUG-ROOT-1"), kMandatory, kAlone,
                 does("Reads the dynamic symbols of the file.")) {
  for (const std::string& name : exported_symbols(test.plugin_path())) {
    expect(name == COLLET_PLUGIN_QUERY_SYMBOL, "the library exports " + name);
  }
}

CONFORMANCE_CASE("PLUG-ROOT-1 the query starts no thread and always gives the same table",
                 clauses("PLUG-ROOT-1"), kMandatory, kAlone,
                 does("Counts the threads of a fresh process around the query, and asks again.")) {
  expect_child([&] {
    const PluginLibrary library(test.plugin_path());
    const Host& host = Host::create(library.file_name());
    const collet_plugin_t* first = nullptr;
    const std::size_t before = count_threads();
    expect_ok(library.query(host, first), "the query");
    const std::size_t started = count_threads() - before;
    expect(started == 0, "the query started " + std::to_string(started) + " threads");
    const collet_plugin_t* second = nullptr;
    expect_ok(library.query(host, second), "the second query");
    expect(first != nullptr && first == second, "the second query gave another root table");
  });
}

CONFORMANCE_CASE("PLUG-ROOT-2 the root table is complete and names the back end",
                 clauses("PLUG-ROOT-2"), kMandatory,
                 does("Looks at each field of the root table.")) {
  const collet_plugin_t& root = test.plugin().root();
  expect(root.struct_size >= sizeof(collet_plugin_t), "struct_size is less than that of ABI 1.0");
  expect(root.abi_version >> 16 == COLLET_ABI_MAJOR, "abi_version has another major number");
  if (root.name == nullptr || root.version == nullptr || root.vendor == nullptr) {
    fail("name, version or vendor is NULL");
  }
  const std::string name = root.name;
  const bool is_name =
      !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  expect(is_name, "the name \"" + name + "\" is not [a-z][a-z0-9_]*");
  expect_no_null_slot(&root, sizeof(root), offsetof(collet_plugin_t, device_count), "root");
}

CONFORMANCE_CASE("PLUG-ROOT-2 every interface table that is given is complete",
                 clauses("PLUG-ROOT-2"), kMandatory,
                 does("Looks at the size and the slots of each table of ABI 1.0.")) {
  Device& device = test.device();
  expect_complete(&device.memory(), sizeof(device.memory()), "memory");
  expect_complete(&device.stream(), sizeof(device.stream()), "stream");
  expect_complete(&device.event(), sizeof(device.event()), "event");
  if (const auto program = ask(device, COLLET_INTERFACE_PROGRAM_V1); program.status == COLLET_OK) {
    expect_complete(program.table, sizeof(collet_plugin_program_interface_t), "program");
  }
  if (const auto ops = ask(device, COLLET_INTERFACE_OPS_V1); ops.status == COLLET_OK) {
    expect_complete(ops.table, sizeof(collet_plugin_ops_interface_t), "ops");
  }
  if (const auto pool = ask(device, COLLET_INTERFACE_POOL_V1); pool.status == COLLET_OK) {
    expect_complete(pool.table, sizeof(collet_plugin_pool_interface_t), "pool");
  }
  if (const auto peer = ask(device, COLLET_INTERFACE_PEER_V1); peer.status == COLLET_OK) {
    expect_complete(peer.table, sizeof(collet_plugin_peer_interface_t), "peer");
  }
}

CONFORMANCE_CASE("PLUG-ROOT-3 an absent or unknown interface is UNSUPPORTED, with a reason",
                 clauses("PLUG-ROOT-3"), kMandatory,
                 does("Asks for all ids of ABI 1.0, later versions of them, and ids of nobody.")) {
  Device& device = test.device();
  for (const int id : {101, 201, 301}) {
    expect(ask(device, static_cast<collet_interface_t>(id)).status == COLLET_OK,
           "interface " + std::to_string(id) + " is mandatory, and absent");
  }
  for (const int id : {0, 1, 102, 199, 299, 401, 501, 600, 701, 800, 900, 1000, 1100, 1201, 9901,
                       COLLET_INTERFACE_MAX - 1}) {
    const InterfaceAnswer answer = ask(device, static_cast<collet_interface_t>(id));
    const std::string name = "interface " + std::to_string(id);
    if (answer.status == COLLET_OK) {
      expect(answer.table != nullptr, name + " is present, and its table is NULL");
      expect(id % 100 < 99 && id != 0 && id != 1 && id != 9901, name + " of nobody is present");
      continue;
    }
    expect_status(answer.status, COLLET_ERROR_UNSUPPORTED, "device_interface, " + name);
    expect(answer.reason != nullptr && *answer.reason != '\0',
           name + " is absent without a reason");
  }
}

CONFORMANCE_CASE("PLUG-ROOT-3 the same id always gives the same table", clauses("PLUG-ROOT-3"),
                 kMandatory, does("Asks twice for each mandatory table.")) {
  Device& device = test.device();
  for (const int id : {101, 201, 301}) {
    const void* const first = ask(device, static_cast<collet_interface_t>(id)).table;
    expect(ask(device, static_cast<collet_interface_t>(id)).table == first,
           "interface " + std::to_string(id) + " has moved");
  }
}

CONFORMANCE_CASE("PLUG-ROOT-4 a host of an older major version is refused, by name",
                 clauses("PLUG-ROOT-4"), kMandatory, kAlone,
                 does("Claims to be a host of ABI 0.9, in a process of its own.")) {
  expect_child([&] {
    const PluginLibrary library(test.plugin_path());
    const Host& host = Host::create(library.file_name(), version_of(0, 9));
    const collet_plugin_t* root = nullptr;
    expect_status(library.query(host, root), COLLET_ERROR_INCOMPATIBLE,
                  "the query of a host of ABI 0.9");
    expect(root == nullptr, "a root table was given to a host of ABI 0.9");
    const Report& report = last_report();
    expect(report.status == COLLET_ERROR_INCOMPATIBLE, "the refusal was not reported");
    expect(report.message.find("0.9") != std::string::npos &&
               report.message.find("1.") != std::string::npos,
           "the text does not name both versions: \"" + report.message + "\"");
  });
}

CONFORMANCE_CASE("PLUG-ROOT-4 a newer host of the same major version is accepted",
                 clauses("PLUG-ROOT-4"), kMandatory, kAlone,
                 does("Claims to be a host of ABI 1.99 whose table has more fields.")) {
  expect_child([&] {
    const PluginLibrary library(test.plugin_path());
    const Host& host = Host::create(library.file_name(), version_of(COLLET_ABI_MAJOR, 99),
                                    sizeof(collet_host_t) + 8 * sizeof(std::uint64_t));
    const collet_plugin_t* root = nullptr;
    expect_ok(library.query(host, root), "the query of a host of ABI 1.99");
    std::uint32_t count = 0;
    expect_ok(root->device_count(&count), "device_count");
  });
}

}  // namespace collet::conformance
