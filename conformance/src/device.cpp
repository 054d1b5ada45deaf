// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "call.hpp"
#include "structs.hpp"
#include "test_kernels.hpp"

namespace collet::conformance {
namespace {

constexpr const char* kInterface = "root.device_interface";

}  // namespace

bool has_format(std::string_view formats, std::string_view wanted) {
  const std::string padded = " " + std::string(formats) + " ";
  return padded.find(" " + std::string(wanted) + " ") != std::string::npos;
}

Device::Device(const Plugin& plugin, std::uint32_t index) : plugin_(plugin) {
  const collet_plugin_t& root = plugin.root();
  expect_ok(call("root.device_properties", root.device_properties, index, &properties_),
            "device_properties");
  expect_ok(call("root.device_open", root.device_open, index, &handle_), "device_open");
  memory_ = interface_of<collet_plugin_memory_interface_t>(COLLET_INTERFACE_MEMORY_V1, "memory");
  stream_ = interface_of<collet_plugin_stream_interface_t>(COLLET_INTERFACE_STREAM_V1, "stream");
  event_ = interface_of<collet_plugin_event_interface_t>(COLLET_INTERFACE_EVENT_V1, "event");
  program_ = optional_interface<collet_plugin_program_interface_t>(COLLET_INTERFACE_PROGRAM_V1,
                                                                   program_reason_);
  ops_ = optional_interface<collet_plugin_ops_interface_t>(COLLET_INTERFACE_OPS_V1, ops_reason_);
  pool_ =
      optional_interface<collet_plugin_pool_interface_t>(COLLET_INTERFACE_POOL_V1, pool_reason_);
  peer_ =
      optional_interface<collet_plugin_peer_interface_t>(COLLET_INTERFACE_PEER_V1, peer_reason_);
}

Device::~Device() {
  note_call("root.device_close");
  plugin_.root().device_close(handle_);
}

template <class Table>
const Table* Device::interface_of(collet_interface_t id, const char* name) {
  const void* table = nullptr;
  const char* reason = "";
  const collet_status_t status =
      call(kInterface, plugin_.root().device_interface, handle_, id, &table, &reason);
  if (status != COLLET_OK || table == nullptr) {
    fail("the device does not offer the " + std::string(name) +
         " interface: " + status_name(status) + " (" + reason + ")");
  }
  return static_cast<const Table*>(table);
}

template <class Table>
const Table* Device::optional_interface(collet_interface_t id, std::string& out_reason) {
  const void* table = nullptr;
  const char* reason = "";
  if (call(kInterface, plugin_.root().device_interface, handle_, id, &table, &reason) ==
      COLLET_OK) {
    return static_cast<const Table*>(table);
  }
  out_reason = reason;
  return nullptr;
}

collet_memory_traits_t Device::traits(collet_memory_kind_t kind) const {
  collet_memory_traits_t traits{};
  traits.struct_size = sizeof(traits);
  expect_ok(call("memory.traits", memory_->traits, handle_, kind, &traits), "memory.traits");
  return traits;
}

void Device::require(Capability capability) const {
  switch (capability) {
    case Capability::kPrograms:
      return require_programs(test_kernels_images());
    case Capability::kFailingKernels:
      require_programs(test_kernels_images());
      if (has_format(properties_.program_formats, COLLET_FORMAT_HOST_SO)) return;
      not_supported("kernels that fail: none of the device's formats can express one");
    case Capability::kSourcePrograms:
      // Whatever it says: what is not declared is not compiled.
      return require_programs({{COLLET_FORMAT_COLLET_C, "", 0}});
    case Capability::kPinnedMemory:
      return require_memory(COLLET_MEMORY_PINNED, "pinned memory");
    case Capability::kSharedMemory:
      return require_memory(COLLET_MEMORY_SHARED, "shared memory");
    case Capability::kOperations:
      if (ops_ == nullptr) not_supported("operations: " + ops_reason_);
      return;
    case Capability::kPool:
      if (pool_ == nullptr) not_supported("a pool: " + pool_reason_);
      return;
    case Capability::kPeers:
      if (peer_ == nullptr) not_supported("copies to other devices: " + peer_reason_);
      return;
  }
}

void Device::require_memory(collet_memory_kind_t kind, std::string_view name) const {
  if (traits(kind).supported != 0) return;
  collet_plugin_memory_t* memory = nullptr;
  expect_status(call("memory.allocate", memory_->allocate, handle_, kind, 64, 0, &memory),
                COLLET_ERROR_UNSUPPORTED, "allocating " + std::string(name) + " without having it");
  not_supported(std::string(name) + ": declared absent");
}

void Device::require_programs(const std::vector<collet_program_image_t>& images) const {
  if (program_ == nullptr) not_supported("programs: " + program_reason_);
  std::string formats;
  for (const collet_program_image_t& image : images) {
    if (has_format(properties_.program_formats, image.format)) return;
    formats += (formats.empty() ? "" : " or ") + std::string(image.format);
  }
  auto desc = make_struct<collet_program_desc_t>();
  desc.images = images.data();
  desc.image_count = static_cast<std::uint32_t>(images.size());
  collet_plugin_program_t* program = nullptr;
  expect_status(call("program.create", program_->create, handle_, &desc, &program),
                COLLET_ERROR_UNSUPPORTED, "a program in formats that are not declared");
  not_supported(formats + " programs: the device takes \"" +
                std::string(properties_.program_formats) + "\"");
}

}  // namespace collet::conformance
