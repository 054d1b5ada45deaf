// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

namespace collet::test {
namespace {

collet_status_t allocate(collet_plugin_stream_t* stream, std::uint64_t size_bytes,
                         std::uint64_t alignment_bytes, collet_plugin_memory_t** out_memory) {
  return scripted("pool.allocate", stream->name + ' ' + std::to_string(size_bytes),
                  [&] { return allocate_memory(size_bytes, alignment_bytes, out_memory); });
}

// What a held stream has freed is the pool's until it is trimmed after that.
void free_memory(collet_plugin_memory_t* memory, collet_plugin_stream_t* stream) {
  script().enter("pool.free", memory->name + ' ' + stream->name);
  const std::lock_guard lock(script().mutex());
  const StreamProgress& progress = script().stream(stream->name);
  script().pooled.push_back({stream->name, progress.enqueued, memory->size_bytes});
  delete memory;
}

collet_status_t trim(collet_plugin_device_t* /*device*/, std::uint64_t* out_released_bytes) {
  return scripted("pool.trim", "", [&] {
    const std::lock_guard lock(script().mutex());
    *out_released_bytes = 0;
    std::erase_if(script().pooled, [&](const PooledBytes& freed) {
      const bool is_complete = script().stream(freed.stream).complete >= freed.target;
      *out_released_bytes += is_complete ? freed.size_bytes : 0;
      return is_complete;
    });
    script().free_bytes += *out_released_bytes;
    return COLLET_OK;
  });
}

collet_status_t info(collet_plugin_device_t* /*device*/, std::uint64_t* out_reserved_bytes,
                     std::uint64_t* out_used_bytes) {
  return scripted("pool.info", "", [&] {
    *out_reserved_bytes = std::uint64_t{3} << 20;
    *out_used_bytes = std::uint64_t{5} << 10;
    return COLLET_OK;
  });
}

}  // namespace

const collet_plugin_pool_interface_t kPool{
    sizeof(collet_plugin_pool_interface_t), 0, allocate, free_memory, trim, info};

}  // namespace collet::test
