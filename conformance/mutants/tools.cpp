// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <cstring>

namespace collet::mutants {
namespace {

collet_plugin_device_t* latest_device = nullptr;

}  // namespace

void remember_device(Plugin& plugin) {
  plugin.root.device_open = [](std::uint32_t index, collet_plugin_device_t** out_device) {
    const collet_status_t status = good().root->device_open(index, out_device);
    if (status == COLLET_OK) latest_device = *out_device;
    return status;
  };
}

collet_plugin_stream_t* side_stream() {
  static collet_plugin_stream_t* const kStream = [] {
    collet_stream_desc_t desc{};
    desc.base.type = COLLET_STRUCT_STREAM_DESC;
    desc.base.struct_size = sizeof(desc);
    desc.flags = COLLET_STREAM_BACKGROUND;
    collet_plugin_stream_t* made = nullptr;
    good().stream->create(latest_device, &desc, &made);
    return made;
  }();
  return kStream;
}

const void* staged(const void* bytes, std::uint64_t size) {
  collet_plugin_memory_t* memory = nullptr;
  void* pointer = nullptr;
  good().memory->allocate(latest_device, COLLET_MEMORY_PINNED, size, 0, &memory);
  good().memory->host_pointer(memory, &pointer);
  std::memcpy(pointer, bytes, size);
  return pointer;
}

}  // namespace collet::mutants
