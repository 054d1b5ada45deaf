// SPDX-License-Identifier: Apache-2.0
// Buffers.
#include <collet/memory.h>

#include <algorithm>
#include <bit>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "pinned_ranges.hpp"
#include "reclaimer.hpp"

namespace collet::loader {

Buffer::Buffer(Device& on, collet_plugin_memory_t* plugin_memory, std::uint64_t size,
               std::uint64_t alignment, collet_memory_kind_t memory_kind,
               std::shared_ptr<StreamState> stream)
    : device(&on),
      memory(plugin_memory),
      size_bytes(size),
      alignment_bytes(alignment),
      kind(memory_kind),
      release_(1, Release{plugin_memory, {}, {}}) {
  if (stream != nullptr) {
    use_on(std::move(stream));
  }
  if (kind != COLLET_MEMORY_DEVICE) {
    if (const auto status = on.memory->host_pointer(memory, &host); status != COLLET_OK) {
      throw_plugin_error(status, on.backend_name);
    }
    add_pinned_range(host, size, on);
  }
}

Buffer::~Buffer() {
  if (host != nullptr) {
    remove_pinned_range(host, size_bytes, *device);
  }
  device->reclaimer->free(std::move(release_));
}

void Buffer::use_on(std::shared_ptr<StreamState> stream) {
  const std::lock_guard lock(mutex_);
  Release& release = release_.front();
  auto& streams = release.streams;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) {
    release.events.reserve(streams.size() + 1);
    streams.push_back(std::move(stream));
  }
}

namespace {

// `reason` names the limit that was hit.
Error out_of_memory(const Device& device, const collet_alloc_desc_t& desc,
                    const std::string& reason) {
  std::string text = "out of memory on " + std::string(device.label()) + " (" +
                     device.properties.name + ")\n  asked for     " +
                     std::to_string(desc.size_bytes) + " bytes";
  if (desc.tag != nullptr && desc.tag[0] != '\0') {
    text += ", tag \"" + std::string(desc.tag) + "\"";
  }
  text += "\n  stopped by    " + reason + "\n  device        ";
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  if (device.memory->info(device.impl, &free_bytes, &total_bytes) == COLLET_OK) {
    text += std::to_string(free_bytes) + " bytes free of " + std::to_string(total_bytes);
  } else {
    text += "does not tell what is free";
    drop_report();
  }
  return {COLLET_ERROR_OUT_OF_DEVICE_MEMORY, text, device.backend_name};
}

const collet_memory_traits_t& checked_traits(const Device& device,
                                             const collet_alloc_desc_t& desc) {
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
    throw out_of_memory(
        device, desc,
        "the largest single allocation, " + std::to_string(traits.max_allocation_bytes) + " bytes");
  }
  return traits;
}

collet_plugin_memory_t* allocate(Device& device, const collet_alloc_desc_t& desc) {
  collet_plugin_memory_t* memory = nullptr;
  const auto attempt = [&] {
    return device.memory->allocate(device.impl, desc.kind, desc.size_bytes, desc.alignment_bytes,
                                   &memory);
  };
  device.reclaimer->poll();
  collet_status_t status = attempt();
  if (status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY) {
    pool<Buffer>().destroy_postponed();
    device.reclaimer->wait();
    status = attempt();
  }
  if (status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY) {
    const Error reported = plugin_error(status, device.backend_name);
    Error error = out_of_memory(device, desc, "the device: " + reported.message());
    error.with_native(reported.native_code(), reported.native_name());
    throw Error(std::move(error));
  }
  if (status != COLLET_OK) {
    throw_plugin_error(status, device.backend_name);
  }
  return memory;
}

// Wraps plugin memory in a handle; frees the memory if that fails.
void create_buffer(Device& device, collet_plugin_memory_t* memory, std::uint64_t size_bytes,
                   std::uint64_t alignment_bytes, collet_memory_kind_t kind,
                   std::shared_ptr<StreamState> stream, collet_buffer_t** out_buffer) {
  try {
    create_handle<Buffer>(out_buffer, device, memory, size_bytes, alignment_bytes, kind,
                          std::move(stream));
  } catch (...) {
    device.memory->free(memory);
    throw;
  }
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_buffer_alloc(collet_stream_t* stream, const collet_alloc_desc_t* desc,
                                    collet_buffer_t** out_buffer) {
  clear_out(out_buffer);
  return guarded(__func__, [&] {
    require_entry();
    require(out_buffer, "out_buffer");
    const Stream& on = need("collet_buffer_alloc", stream);
    const auto own = read_descriptor(desc, COLLET_STRUCT_ALLOC_DESC, "desc");
    const std::uint64_t alignment =
        std::max(checked_traits(*on.device, own).alignment_bytes, own.alignment_bytes);
    create_buffer(*on.device, allocate(*on.device, own), own.size_bytes, alignment, own.kind,
                  on.state, out_buffer);
  });
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
    const std::uint64_t alignment = std::uint64_t{1} << std::countr_zero(address);
    create_buffer(on, memory, size_bytes, alignment, COLLET_MEMORY_PINNED, nullptr, out_buffer);
  });
}

collet_status_t collet_buffer_retain(collet_buffer_t* buffer) {
  return retain_handle(__func__, buffer);
}

void collet_buffer_release(collet_buffer_t* buffer) { release_handle(buffer); }

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
  return finish(__func__, *memory->device,
                memory->device->memory->host_pointer(memory->memory, out_pointer));
}

collet_status_t collet_buffer_native_pointer(collet_buffer_t* buffer, uint64_t* out_pointer) {
  clear_out(out_pointer);
  const Buffer* memory = find(buffer);
  if (memory == nullptr) [[unlikely]] {
    return refuse_handle(__func__, buffer, Kind::kBuffer);
  }
  if (out_pointer == nullptr) [[unlikely]] {
    return refuse_argument(__func__, "out_pointer is NULL");
  }
  return finish(__func__, *memory->device,
                memory->device->memory->native_pointer(memory->memory, out_pointer));
}
