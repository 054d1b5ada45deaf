// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kMaxAlignment = 4096;

collet_status_t traits(collet_plugin_device_t* /*device*/, collet_memory_kind_t kind,
                       collet_memory_traits_t* out_traits) {
  out_traits->supported = kind == COLLET_MEMORY_SHARED ? 0 : 1;
  out_traits->alignment_bytes = kAlignment;
  out_traits->max_alignment_bytes = kMaxAlignment;
  out_traits->offset_alignment_bytes = 1;
  out_traits->granularity_bytes = kAlignment;
  out_traits->max_allocation_bytes = std::uint64_t{1} << 30;
  return COLLET_OK;
}

collet_status_t allocate(collet_plugin_device_t* /*device*/, collet_memory_kind_t /*kind*/,
                         std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                         collet_plugin_memory_t** out_memory) {
  return scripted("memory.allocate", std::to_string(size_bytes),
                  [&] { return allocate_memory(size_bytes, alignment_bytes, out_memory); });
}

void free_memory(collet_plugin_memory_t* memory) {
  const std::unique_ptr<collet_plugin_memory_t> owner(memory);
  script().enter("memory.free", memory->name);
  if (memory->counted) {
    const std::lock_guard lock(script().mutex());
    script().free_bytes += memory->size_bytes;
  }
}

collet_status_t register_host(collet_plugin_device_t* /*device*/, void* data,
                              std::uint64_t size_bytes, collet_plugin_memory_t** out_memory) {
  return scripted("memory.register_host", std::to_string(size_bytes), [&] {
    *out_memory = new collet_plugin_memory_t{
        script().name('m'), size_bytes, false, {}, static_cast<std::byte*>(data)};
    return COLLET_OK;
  });
}

collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  return scripted("memory.host_pointer", memory->name, [&] {
    *out_pointer = memory->data;
    return COLLET_OK;
  });
}

collet_status_t native_pointer(collet_plugin_memory_t* memory, std::uint64_t* out_pointer) {
  return scripted("memory.native_pointer", memory->name, [&] {
    *out_pointer = reinterpret_cast<std::uint64_t>(memory->data);
    return COLLET_OK;
  });
}

collet_status_t info(collet_plugin_device_t* /*device*/, std::uint64_t* out_free_bytes,
                     std::uint64_t* out_total_bytes) {
  return scripted("memory.info", "", [&] {
    const std::lock_guard lock(script().mutex());
    *out_free_bytes = script().free_bytes;
    *out_total_bytes = std::uint64_t{1} << 20;
    return COLLET_OK;
  });
}

}  // namespace

collet_status_t allocate_memory(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                collet_plugin_memory_t** out_memory) {
  {
    const std::lock_guard lock(script().mutex());
    if (size_bytes > script().free_bytes) {
      return fail(
          {COLLET_ERROR_OUT_OF_DEVICE_MEMORY, 2, "SCRIPTED_OUT_OF_MEMORY", "no memory is left"});
    }
    script().free_bytes -= size_bytes;
  }
  const std::uint64_t alignment = std::max(alignment_bytes, kAlignment);
  auto memory = std::make_unique<collet_plugin_memory_t>();
  memory->name = script().name('m');
  memory->size_bytes = size_bytes;
  memory->counted = true;
  memory->owned.resize(size_bytes + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory->owned.data());
  memory->data = memory->owned.data() + (alignment - address % alignment) % alignment;
  *out_memory = memory.release();
  return COLLET_OK;
}

const collet_plugin_memory_interface_t kMemory{sizeof(collet_plugin_memory_interface_t),
                                               0,
                                               traits,
                                               allocate,
                                               free_memory,
                                               register_host,
                                               host_pointer,
                                               native_pointer,
                                               info};

}  // namespace collet::test
