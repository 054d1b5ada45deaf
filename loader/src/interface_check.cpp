// SPDX-License-Identifier: Apache-2.0
#include "interface_check.hpp"

#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/peer.h>
#include <collet/plugin/pool.h>
#include <collet/plugin/program.h>
#include <collet/plugin/stream.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "error.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

struct Slot {
  const char* name;
  std::size_t offset;
};

struct Table {
  const char* name;
  std::size_t size;
  std::span<const Slot> slots;
};

// True if the slots are all pointers of a table of that size, one after the other, behind a head of
// `head` bytes: so a slot that is added to a table and forgotten here does not compile.
constexpr bool covers(std::span<const Slot> slots, std::size_t head, std::size_t size) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].offset != head + i * sizeof(void*)) {
      return false;
    }
  }
  return head + slots.size() * sizeof(void*) == size;
}

#define COLLET_SLOT(table, slot) \
  { #slot, offsetof(table, slot) }

#define COLLET_ROOT(slot) COLLET_SLOT(collet_plugin_t, slot)
constexpr Slot kRootSlots[] = {
    COLLET_ROOT(name),         COLLET_ROOT(version),           COLLET_ROOT(vendor),
    COLLET_ROOT(device_count), COLLET_ROOT(device_properties), COLLET_ROOT(device_open),
    COLLET_ROOT(device_close), COLLET_ROOT(device_interface),
};
static_assert(covers(kRootSlots, offsetof(collet_plugin_t, name), sizeof(collet_plugin_t)));

#define COLLET_MEMORY(slot) COLLET_SLOT(collet_plugin_memory_interface_t, slot)
constexpr Slot kMemorySlots[] = {
    COLLET_MEMORY(traits),        COLLET_MEMORY(allocate),     COLLET_MEMORY(free),
    COLLET_MEMORY(register_host), COLLET_MEMORY(host_pointer), COLLET_MEMORY(native_pointer),
    COLLET_MEMORY(info),
};

#define COLLET_STREAM(slot) COLLET_SLOT(collet_plugin_stream_interface_t, slot)
constexpr Slot kStreamSlots[] = {
    COLLET_STREAM(create),        COLLET_STREAM(destroy),    COLLET_STREAM(query),
    COLLET_STREAM(synchronize),   COLLET_STREAM(failure),    COLLET_STREAM(reset),
    COLLET_STREAM(annotate),      COLLET_STREAM(copy),       COLLET_STREAM(copy_rect),
    COLLET_STREAM(write),         COLLET_STREAM(read),       COLLET_STREAM(fill),
    COLLET_STREAM(host_function), COLLET_STREAM(wait_event),
};

#define COLLET_EVENT(slot) COLLET_SLOT(collet_plugin_event_interface_t, slot)
constexpr Slot kEventSlots[] = {
    COLLET_EVENT(create), COLLET_EVENT(destroy),     COLLET_EVENT(record),
    COLLET_EVENT(query),  COLLET_EVENT(synchronize), COLLET_EVENT(elapsed),
};

#define COLLET_PROGRAM(slot) COLLET_SLOT(collet_plugin_program_interface_t, slot)
constexpr Slot kProgramSlots[] = {
    COLLET_PROGRAM(create),      COLLET_PROGRAM(destroy),       COLLET_PROGRAM(export_image),
    COLLET_PROGRAM(kernels),     COLLET_PROGRAM(kernel_create), COLLET_PROGRAM(kernel_destroy),
    COLLET_PROGRAM(kernel_info), COLLET_PROGRAM(launch),
};

#define COLLET_OPS(slot) COLLET_SLOT(collet_plugin_ops_interface_t, slot)
constexpr Slot kOpsSlots[] = {
    COLLET_OPS(query),   COLLET_OPS(preferred_layout), COLLET_OPS(create),
    COLLET_OPS(destroy), COLLET_OPS(enqueue),
};

#define COLLET_POOL(slot) COLLET_SLOT(collet_plugin_pool_interface_t, slot)
constexpr Slot kPoolSlots[] = {
    COLLET_POOL(allocate),
    COLLET_POOL(free),
    COLLET_POOL(trim),
    COLLET_POOL(info),
};

#define COLLET_PEER(slot) COLLET_SLOT(collet_plugin_peer_interface_t, slot)
constexpr Slot kPeerSlots[] = {COLLET_PEER(connect), COLLET_PEER(copy)};

// Interface tables begin with their size and a reserved number.
template <class T, std::size_t N>
consteval Table table_of(const char* name, const Slot (&slots)[N]) {
  constexpr std::size_t kHead = 2 * sizeof(std::uint32_t);
  return covers(slots, kHead, sizeof(T)) ? Table{name, sizeof(T), slots}
                                         : throw "a slot of this table is not listed";
}

constexpr Table kRoot{"root", sizeof(collet_plugin_t), kRootSlots};
constexpr Table kMemory = table_of<collet_plugin_memory_interface_t>("memory", kMemorySlots);
constexpr Table kStream = table_of<collet_plugin_stream_interface_t>("stream", kStreamSlots);
constexpr Table kEvent = table_of<collet_plugin_event_interface_t>("event", kEventSlots);
constexpr Table kProgram = table_of<collet_plugin_program_interface_t>("program", kProgramSlots);
constexpr Table kOps = table_of<collet_plugin_ops_interface_t>("ops", kOpsSlots);
constexpr Table kPool = table_of<collet_plugin_pool_interface_t>("pool", kPoolSlots);
constexpr Table kPeer = table_of<collet_plugin_peer_interface_t>("peer", kPeerSlots);

const Table* find_table(collet_interface_t id) {
  switch (id) {
    case COLLET_INTERFACE_MEMORY_V1:
      return &kMemory;
    case COLLET_INTERFACE_STREAM_V1:
      return &kStream;
    case COLLET_INTERFACE_EVENT_V1:
      return &kEvent;
    case COLLET_INTERFACE_PROGRAM_V1:
      return &kProgram;
    case COLLET_INTERFACE_OPS_V1:
      return &kOps;
    case COLLET_INTERFACE_POOL_V1:
      return &kPool;
    case COLLET_INTERFACE_PEER_V1:
      return &kPeer;
    default:
      return nullptr;
  }
}

[[noreturn]] void refuse(const std::string& backend, const std::string& what) {
  throw Error(COLLET_ERROR_INCOMPATIBLE, "back end \"" + backend + "\" " + what, backend);
}

// Tables start with their own size.
void check_size(const Table& table, const void* address, const std::string& backend) {
  std::uint32_t size = 0;
  std::memcpy(&size, address, sizeof size);
  if (size < table.size) {
    refuse(backend, "has a " + std::string(table.name) + " table of " + std::to_string(size) +
                        " bytes, and ABI 1.0 needs " + std::to_string(table.size) +
                        "; does it set struct_size?");
  }
}

void check_slots(const Table& table, const void* address, const std::string& backend) {
  for (const Slot& slot : table.slots) {
    const void* value = nullptr;
    std::memcpy(&value, static_cast<const std::byte*>(address) + slot.offset, sizeof value);
    if (value == nullptr) {
      refuse(backend,
             "has a NULL slot: \"" + std::string(slot.name) + "\" of its " + table.name + " table");
    }
  }
}

std::string version_text(std::uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version & 0xffff);
}

}  // namespace

void check_root(const collet_plugin_t* root, const std::string& name) {
  if (root == nullptr) {
    refuse(name, "gives no root table: its " COLLET_PLUGIN_QUERY_SYMBOL "() answers OK with NULL");
  }
  if ((root->abi_version >> 16) != COLLET_ABI_MAJOR) {
    Error error(COLLET_ERROR_INCOMPATIBLE,
                "back end \"" + name + "\" is built for ABI " + version_text(root->abi_version) +
                    ", and this library has ABI " + version_text(COLLET_ABI_VERSION) +
                    "; the major numbers must agree",
                name);
    throw Error(error.with_hint("install a build of the plugin for ABI " +
                                std::to_string(COLLET_ABI_MAJOR)));
  }
  check_size(kRoot, root, name);
  check_slots(kRoot, root, name);
  if (root->name != name) {
    refuse(name, "calls itself " + in_quotes(root->name) + ", so its file should be called " +
                     escaped("libcollet_" + std::string(root->name).substr(0, 64) + ".so"));
  }
}

void check_complete(collet_interface_t id, const void* table, const std::string& backend) {
  const Table* known = find_table(id);
  if (table == nullptr) {
    refuse(backend, "answers OK for " +
                        (known != nullptr ? "its " + std::string(known->name) + " table"
                                          : "interface " + std::to_string(id)) +
                        ", but gives NULL");
  }
  if (known != nullptr) {
    check_size(*known, table, backend);
    check_slots(*known, table, backend);
  }
}

}  // namespace collet::loader
