// SPDX-License-Identifier: Apache-2.0
// Buffers.
#include <collet/memory.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "pinned_ranges.hpp"
#include "pool/device_memory.hpp"
#include "pool/out_of_memory.hpp"

namespace collet::loader {

Buffer::Buffer(Device& on, collet_memory_kind_t memory_kind, Block& of_pool, std::uint64_t size,
               std::uint64_t alignment, std::unique_ptr<UsedBlock> uses)
    : device(&on),
      memory(of_pool.segment->memory),
      offset_bytes(of_pool.offset_bytes),
      size_bytes(size),
      alignment_bytes(alignment),
      kind(memory_kind),
      block(&of_pool),
      used(std::move(uses)) {}

Buffer::Buffer(Device& on, collet_plugin_memory_t* registered, void* data, std::uint64_t size)
    : device(&on),
      memory(registered),
      size_bytes(size),
      alignment_bytes(std::uint64_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(data))),
      kind(COLLET_MEMORY_PINNED),
      registered_(data) {
  add_pinned_range(data, size, on, registered);
}

Buffer::~Buffer() {
  if (registered_ != nullptr) {
    remove_pinned_range(registered_, size_bytes, *device);
    device->memory->free(memory);
  } else if (block != nullptr) {
    block->segment->arena->pool.release(*this);
  }
}

void Buffer::use_on(const std::shared_ptr<StreamState>& stream) {
  // Memory of the caller is not released before all work on it is complete.
  if (block == nullptr) {
    return;
  }
  if (block->segment->arena->is_of(*stream)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (used == nullptr) {
    used = std::make_unique<UsedBlock>();
  }
  used->add(stream);
}

namespace {

BufferRequest request_of(const collet_alloc_desc_t& desc) {
  BufferRequest request{desc.size_bytes, desc.alignment_bytes, tag_of(desc.tag)};
  if (desc.timeout_ns != 0) {
    request.deadline = deadline_after(desc.timeout_ns);
  }
  return request;
}

void check_request(const Stream& on, const collet_alloc_desc_t& desc) {
  const Device& device = *on.device;
  const std::uint32_t kind = number_of(desc.kind);
  if (kind > COLLET_MEMORY_SHARED) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "desc.kind " + std::to_string(kind) + " is not a kind of memory");
  }
  const collet_memory_traits_t& traits = device.traits[kind];
  if (traits.supported == 0) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(device.label()) + " does not have this kind of memory",
                device.backend_name);
  }
  if (desc.alignment_bytes != 0 && !std::has_single_bit(desc.alignment_bytes)) {
    throw Error(
        COLLET_ERROR_INVALID_ARGUMENT,
        "desc.alignment_bytes " + std::to_string(desc.alignment_bytes) + " is not a power of two");
  }
  if (desc.alignment_bytes > traits.max_alignment_bytes) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(device.label()) + " aligns memory to at most " +
                    std::to_string(traits.max_alignment_bytes) + " bytes, and " +
                    std::to_string(desc.alignment_bytes) + " are asked for",
                device.backend_name);
  }
  const std::uint64_t step =
      std::max({desc.alignment_bytes, traits.granularity_bytes, std::uint64_t{1}});
  // Ranges are checked with signed sums; and no machine has more.
  if (desc.size_bytes > INT64_MAX - step) {
    throw Error(COLLET_ERROR_OVERFLOW, std::to_string(desc.size_bytes) +
                                           " bytes cannot be rounded up to a multiple of " +
                                           std::to_string(step));
  }
  if (desc.size_bytes > traits.max_allocation_bytes) {
    throw larger_than_allocation(on, desc.kind, request_of(desc));
  }
}

[[nodiscard]] bool keep(Buffer& ended) noexcept {
  Arena& arena = *ended.block->segment->arena;
  const std::lock_guard lock(arena.mutex);
  return arena.keep(ended);
}

// Serves a plain request from what its stream has kept; nullptr where that is not possible, for
// whatever reason. This is what most allocations of a running program come to.
Buffer* reuse_kept(const Stream& on, const collet_alloc_desc_t* desc) noexcept {
  constexpr collet_struct_t kHead{COLLET_STRUCT_ALLOC_DESC, sizeof *desc, nullptr};
  if (desc == nullptr || std::memcmp(&desc->base, &kHead, sizeof kHead) != 0 ||
      number_of(desc->kind) > COLLET_MEMORY_SHARED || desc->alignment_bytes != 0 ||
      desc->allocator != nullptr) {
    return nullptr;
  }
  Arena* arena = on.state->arenas[desc->kind].load(std::memory_order_acquire);
  if (arena == nullptr || desc->size_bytes > Arena::kLargestKeptBytes) {
    return nullptr;
  }
  const std::uint64_t size_bytes = arena->pool.rounded(desc->size_bytes);
  const Tag* tag = tag_of(desc->tag);
  const std::lock_guard lock(arena->mutex);
  return arena->reuse(size_bytes, desc->size_bytes, tag);
}

MemoryPool& pool_of(const Stream& on, const collet_alloc_desc_t& desc) {
  if (desc.allocator == nullptr) {
    return on.device->pools->own().pool(desc.kind);
  }
  const Allocator& allocator = need("collet_buffer_alloc", desc.allocator);
  same_device("collet_buffer_alloc", "allocator", *allocator.device, *on.device);
  return allocator.state->pool(desc.kind);
}

void allocate(const Stream& on, const collet_alloc_desc_t* desc, collet_buffer_t** out_buffer) {
  const auto own = read_descriptor(desc, COLLET_STRUCT_ALLOC_DESC, "desc");
  check_request(on, own);
  MemoryPool& pool = pool_of(on, own);
  Arena* home = own.allocator == nullptr ? on.state->arenas[own.kind].load() : nullptr;
  if (home == nullptr) {
    home = &pool.arena_of(on.state);
  }
  if (own.allocator == nullptr) {
    on.state->arenas[own.kind].store(home, std::memory_order_release);
  }
  *out_buffer = pool.allocate(on, *home, request_of(own));
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_buffer_alloc(collet_stream_t* stream, const collet_alloc_desc_t* desc,
                                    collet_buffer_t** out_buffer) {
  clear_out(out_buffer);
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  if (out_buffer == nullptr) [[unlikely]] {
    return refuse_argument(__func__, "out_buffer is NULL");
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  if (Buffer* buffer = reuse_kept(*on, desc)) [[likely]] {
    *out_buffer = revive_handle(*buffer);
    return COLLET_OK;
  }
  return guarded(__func__, [&] { allocate(*on, desc, out_buffer); });
}

collet_status_t collet_host_register(collet_device_t* device, void* data, uint64_t size_bytes,
                                     collet_buffer_t** out_buffer) {
  clear_out(out_buffer);
  return guarded(__func__, [&] {
    require_entry();
    require(out_buffer, "out_buffer");
    require(data, "data");
    Device& on = need("collet_host_register", device);
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    if (size_bytes > INT64_MAX || address > UINTPTR_MAX - size_bytes) {
      throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                  "data + size_bytes wraps around the address space");
    }
    collet_plugin_memory_t* memory = nullptr;
    const auto status = on.memory->register_host(on.impl, data, size_bytes, &memory);
    if (status != COLLET_OK) {
      throw_plugin_error(status, on.backend_name);
    }
    try {
      create_handle<Buffer>(out_buffer, on, memory, data, size_bytes);
    } catch (...) {
      on.memory->free(memory);
      throw;
    }
  });
}

collet_status_t collet_buffer_retain(collet_buffer_t* buffer) {
  return retain_handle(__func__, buffer);
}

void collet_buffer_release(collet_buffer_t* buffer) {
  if (find(buffer) == nullptr) {
    return;
  }
  Buffer* ended = SlotPool<Buffer>::drop(buffer);
  if (ended == nullptr) {
    return;
  }
  if (inside_callback || ended->block == nullptr || ended->used != nullptr || !keep(*ended)) {
    pool<Buffer>().destroy(*ended);
  }
}

collet_status_t collet_buffer_use_on(collet_buffer_t* buffer, collet_stream_t* stream) {
  return guarded(__func__, [&] {
    Buffer& memory = need("collet_buffer_use_on", buffer);
    const Stream& on = need("collet_buffer_use_on", stream);
    same_device("collet_buffer_use_on", "buffer", *memory.device, *on.device);
    memory.use_on(on.state);
  });
}

collet_status_t collet_buffer_info(collet_buffer_t* buffer, collet_buffer_info_t* out_info) {
  return guarded(__func__, [&] {
    prepare_out(out_info, COLLET_STRUCT_BUFFER_INFO, "out_info");
    const Buffer& memory = need("collet_buffer_info", buffer);
    collet_buffer_info_t info{};
    info.device = memory.device->handle();
    info.kind = memory.kind;
    info.size_bytes = memory.size_bytes;
    info.alignment_bytes = memory.alignment_bytes;
    write_out(info, out_info);
  });
}

collet_status_t collet_buffer_host_pointer(collet_buffer_t* buffer, void** out_pointer) {
  clear_out(out_pointer);
  const Buffer* memory = find(buffer);
  if (memory == nullptr) [[unlikely]] {
    return refuse_handle(__func__, buffer, Kind::kBuffer);
  }
  if (out_pointer == nullptr) [[unlikely]] {
    return refuse_argument(__func__, "out_pointer is NULL");
  }
  void* start = nullptr;
  const auto status = finish(__func__, *memory->device,
                             memory->device->memory->host_pointer(memory->memory, &start));
  *out_pointer = start == nullptr ? nullptr : static_cast<std::byte*>(start) + memory->offset_bytes;
  return status;
}

collet_status_t collet_buffer_native_pointer(collet_buffer_t* buffer, uint64_t* out_pointer,
                                             uint64_t* out_offset_bytes) {
  clear_out(out_pointer);
  clear_out(out_offset_bytes);
  const Buffer* memory = find(buffer);
  if (memory == nullptr) [[unlikely]] {
    return refuse_handle(__func__, buffer, Kind::kBuffer);
  }
  if (out_pointer == nullptr || out_offset_bytes == nullptr) [[unlikely]] {
    return refuse_argument(
        __func__, out_pointer == nullptr ? "out_pointer is NULL" : "out_offset_bytes is NULL");
  }
  const auto status = finish(__func__, *memory->device,
                             memory->device->memory->native_pointer(memory->memory, out_pointer));
  *out_offset_bytes = status == COLLET_OK ? memory->offset_bytes : 0;
  return status;
}
