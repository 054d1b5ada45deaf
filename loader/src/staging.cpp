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
  [[nodiscard]] PinnedPlace place() const noexcept {
    return {buffer_->memory, buffer_->offset_bytes};
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

void check_status(const Stream& on, collet_status_t status) {
  if (status != COLLET_OK) {
    throw_plugin_error(status, on.device->backend_name);
  }
}

// Moves rows between host memory and a stage, where nothing lies between them.
void pack(const Rows& rows, std::byte* stage) noexcept {
  for (std::uint64_t row = 0; row < rows.height; ++row) {
    std::memcpy(stage + row * rows.width_bytes, rows.host + row * rows.host_pitch_bytes,
                rows.width_bytes);
  }
}
void unpack(const Rows& rows, const std::byte* stage) noexcept {
  for (std::uint64_t row = 0; row < rows.height; ++row) {
    std::memcpy(rows.host + row * rows.host_pitch_bytes, stage + row * rows.width_bytes,
                rows.width_bytes);
  }
}

std::uint64_t rows_of_a_chunk(const Rows& rows) noexcept {
  return std::min(rows.height, std::max<std::uint64_t>(1, kChunkBytes / rows.width_bytes));
}

// Rows that cannot be staged, as one command each.
void copy_one_by_one(const Stream& on, const Rows& rows) {
  for (std::uint64_t row = 0; row < rows.height; ++row) {
    const std::uint64_t offset =
        rows.buffer->offset_bytes + rows.offset_bytes + row * rows.pitch_bytes;
    std::byte* const host = rows.host + row * rows.host_pitch_bytes;
    check_status(on, rows.is_write ? on.table->write(on.impl, rows.buffer->memory, offset, host,
                                                     rows.width_bytes, 0, COLLET_TIMEOUT_INFINITE)
                                   : on.table->read(on.impl, host, rows.buffer->memory, offset,
                                                    rows.width_bytes, 0, COLLET_TIMEOUT_INFINITE));
  }
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
    check_status(
        on, on.table->write(on.impl, to.memory, to.offset_bytes + offset_bytes + done, staged,
                            chunk_bytes, COLLET_TRANSFER_NON_BLOCKING, COLLET_TIMEOUT_INFINITE));
  }
  return true;
}

Rows Rows::part(std::uint64_t first, std::uint64_t count) const noexcept {
  Rows part = *this;
  part.offset_bytes += first * pitch_bytes;
  part.host += first * host_pitch_bytes;
  part.height = std::min(count, height - first);
  return part;
}

void enqueue_rows(const Stream& on, const Rows& rows, const PinnedPlace& place,
                  std::uint64_t pitch_bytes) {
  const std::uint64_t offset = rows.buffer->offset_bytes + rows.offset_bytes;
  collet_plugin_memory_t* const memory = rows.buffer->memory;
  if (rows.is_write) {
    const collet_rect_t rect{offset,      place.offset_bytes, rows.width_bytes,
                             rows.height, rows.pitch_bytes,   pitch_bytes};
    check_status(on, on.table->copy_rect(on.impl, memory, place.memory, &rect));
  } else {
    const collet_rect_t rect{place.offset_bytes, offset,      rows.width_bytes,
                             rows.height,        pitch_bytes, rows.pitch_bytes};
    check_status(on, on.table->copy_rect(on.impl, place.memory, memory, &rect));
  }
}

bool stage_rows(const Stream& on, const Rows& rows, const Deadline& deadline) {
  std::uint64_t size_bytes = 0;
  if (__builtin_mul_overflow(rows.width_bytes, rows.height, &size_bytes) ||
      !can_stage(*on.device, size_bytes)) {
    return false;
  }
  collet_buffer_t* handle = allocate_stage(on, size_bytes, deadline);
  if (handle == nullptr) {
    return false;
  }
  const Stage stage(handle);
  pack(rows, stage.data());
  enqueue_rows(on, rows, stage.place(), rows.width_bytes);
  return true;
}

void copy_rows(const Stream& on, const Rows& rows) {
  const std::uint64_t chunk = rows_of_a_chunk(rows);
  collet_buffer_t* handle = can_stage(*on.device, chunk * rows.width_bytes)
                                ? allocate_stage(on, chunk * rows.width_bytes, Deadline::max())
                                : nullptr;
  if (handle == nullptr) {
    copy_one_by_one(on, rows);
    return;
  }
  const Stage stage(handle);
  for (std::uint64_t done = 0; done < rows.height; done += chunk) {
    const Rows part = rows.part(done, chunk);
    if (rows.is_write) {
      pack(part, stage.data());
    }
    enqueue_rows(on, part, stage.place(), rows.width_bytes);
    check_status(on, on.table->synchronize(on.impl, COLLET_TIMEOUT_INFINITE));
    if (!rows.is_write) {
      unpack(part, stage.data());
    }
  }
}

}  // namespace collet::loader
