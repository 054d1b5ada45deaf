// SPDX-License-Identifier: Apache-2.0
#include "staging.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "bytes_text.hpp"
#include "error.hpp"
#include "pool/device_memory.hpp"

namespace collet::loader {
namespace {

// A quarter of what may be staged at a time, so that one copy does not have to wait for another.
constexpr std::uint64_t kMostBytes = DeviceMemory::kStagingBytes / 4;
// The device begins with the first while the host goes on with the next.
constexpr std::uint64_t kChunkBytes = std::uint64_t{2} << 20;

// A buffer of the staging pool, for as long as the host fills it.
class Stage {
 public:
  explicit Stage(collet_buffer_t* handle) : handle_(handle), buffer_(find(handle)) {}
  // Its memory waits for the copies.
  ~Stage() { collet_buffer_release(handle_); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  [[nodiscard]] std::byte* data() const noexcept {
    return static_cast<std::byte*>(buffer_->block->segment->host) + buffer_->offset_bytes;
  }

 private:
  collet_buffer_t* handle_;
  const Buffer* buffer_;
};

// nullptr if there is no memory for it.
collet_buffer_t* allocate_stage(const Stream& on, std::uint64_t size_bytes,
                                const Deadline& deadline) {
  MemoryPool& pool = on.device->pools->staging().pool(COLLET_MEMORY_PINNED);
  try {
    return pool.allocate(on, pool.arena_of(on.state), {size_bytes, 0, nullptr, deadline});
  } catch (const Error& error) {
    if (error.status() != COLLET_ERROR_OUT_OF_DEVICE_MEMORY) {
      throw;
    }
  }
  if (nanoseconds_until(deadline) == 0) {
    throw Error(COLLET_ERROR_TIMEOUT,
                "copies from pageable memory that were enqueued before took longer, and at most " +
                    bytes_text(DeviceMemory::kStagingBytes) + " of them are staged at a time");
  }
  return nullptr;
}

}  // namespace

bool can_stage(const Device& device, std::uint64_t size_bytes) noexcept {
  const collet_memory_traits_t& traits = device.traits[COLLET_MEMORY_PINNED];
  return size_bytes <= std::min(kMostBytes, traits.max_allocation_bytes) && traits.supported != 0;
}

bool stage_write(const Stream& on, const Buffer& to, std::uint64_t offset_bytes, const void* from,
                 std::uint64_t size_bytes, const Deadline& deadline) {
  collet_buffer_t* handle = allocate_stage(on, size_bytes, deadline);
  if (handle == nullptr) {
    return false;
  }
  const Stage stage(handle);
  for (std::uint64_t done = 0; done < size_bytes; done += kChunkBytes) {
    const std::uint64_t chunk_bytes = std::min(kChunkBytes, size_bytes - done);
    std::byte* staged = stage.data() + done;
    std::memcpy(staged, static_cast<const std::byte*>(from) + done, chunk_bytes);
    const auto status =
        on.table->write(on.impl, to.memory, to.offset_bytes + offset_bytes + done, staged,
                        chunk_bytes, COLLET_TRANSFER_NON_BLOCKING, COLLET_TIMEOUT_INFINITE);
    if (status != COLLET_OK) {
      throw_plugin_error(status, on.device->backend_name);
    }
  }
  return true;
}

}  // namespace collet::loader
