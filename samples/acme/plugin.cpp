// SPDX-License-Identifier: Apache-2.0
//
// The smallest complete plugin: a device "acme:0" with the three mandatory interfaces, on host
// memory. Its streams run each command in the call that enqueues it, so that nothing ever waits.
#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/stream.h>
#include <chrono>
#include <collet/sdk/plugin.hpp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace {

using collet::plugin::copy_text;
using collet::plugin::Error;
using collet::plugin::fill_struct;
using collet::plugin::from_handle;
using collet::plugin::guarded;
using collet::plugin::to_handle;

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 30;

struct Device {
  using Handle = collet_plugin_device_t;
};

struct Memory {
  using Handle = collet_plugin_memory_t;
  std::byte* data = nullptr;
  bool owned = true;
};

// One lock per stream makes each call one point of its order.
struct Stream {
  using Handle = collet_plugin_stream_t;
  std::mutex mutex;
};

struct Event {
  using Handle = collet_plugin_event_t;
  bool timing = false;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};

std::byte* at(collet_plugin_memory_t* memory, std::uint64_t offset_bytes) {
  return from_handle<Memory>(memory)->data + offset_bytes;
}

// ---- memory

collet_status_t traits(collet_plugin_device_t*, collet_memory_kind_t,
                       collet_memory_traits_t* out_traits) {
  return guarded([&] {
    fill_struct(out_traits, {.struct_size = sizeof(collet_memory_traits_t),
                             .supported = 1,
                             .alignment_bytes = kAlignment,
                             .max_alignment_bytes = kAlignment,
                             .offset_alignment_bytes = kAlignment,
                             .granularity_bytes = kAlignment,
                             .max_allocation_bytes = kMemoryBytes});
  });
}

collet_status_t allocate(collet_plugin_device_t*, collet_memory_kind_t, std::uint64_t size_bytes,
                         std::uint64_t, collet_plugin_memory_t** out_memory) {
  return guarded([&] {
    auto memory = std::make_unique<Memory>();
    // Memory of no bytes is distinct from all other too.
    const std::uint64_t rounded = (size_bytes + kAlignment) / kAlignment * kAlignment;
    memory->data = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    if (memory->data == nullptr) {
      throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY, "acme has no memory left");
    }
    *out_memory = to_handle(memory.release());
  });
}

void free_memory(collet_plugin_memory_t* handle) {
  const std::unique_ptr<Memory> memory(from_handle<Memory>(handle));
  if (memory->owned) std::free(memory->data);
}

collet_status_t register_host(collet_plugin_device_t*, void* data, std::uint64_t,
                              collet_plugin_memory_t** out_memory) {
  return guarded([&] {
    *out_memory = to_handle(new Memory{static_cast<std::byte*>(data), false});
  });
}

collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  return guarded([&] { *out_pointer = at(memory, 0); });
}

collet_status_t native_pointer(collet_plugin_memory_t* memory, std::uint64_t* out_pointer) {
  return guarded([&] { *out_pointer = reinterpret_cast<std::uintptr_t>(at(memory, 0)); });
}

collet_status_t memory_info(collet_plugin_device_t*, std::uint64_t* out_free_bytes,
                            std::uint64_t* out_total_bytes) {
  return guarded([&] { *out_free_bytes = *out_total_bytes = kMemoryBytes; });
}

constexpr collet_plugin_memory_interface_t kMemory = {sizeof(collet_plugin_memory_interface_t),
                                                      0,
                                                      traits,
                                                      allocate,
                                                      free_memory,
                                                      register_host,
                                                      host_pointer,
                                                      native_pointer,
                                                      memory_info};

// ---- streams

// Runs a command in its stream's order.
template <class Command>
collet_status_t run(collet_plugin_stream_t* stream, Command&& command) {
  return guarded([&] {
    const std::lock_guard lock(from_handle<Stream>(stream)->mutex);
    command();
  });
}

collet_status_t stream_create(collet_plugin_device_t*, const collet_stream_desc_t*,
                              collet_plugin_stream_t** out_stream) {
  return guarded([&] { *out_stream = to_handle(new Stream); });
}

void stream_destroy(collet_plugin_stream_t* stream) { delete from_handle<Stream>(stream); }

collet_status_t stream_query(collet_plugin_stream_t*) { return COLLET_OK; }

collet_status_t stream_synchronize(collet_plugin_stream_t*, std::uint64_t) { return COLLET_OK; }

collet_status_t stream_failure(collet_plugin_stream_t*, collet_stream_failure_t* out_failure) {
  return guarded([&] { fill_struct(out_failure, collet_stream_failure_t{}); });
}

collet_status_t stream_reset(collet_plugin_stream_t*) { return COLLET_OK; }

collet_status_t stream_annotate(collet_plugin_stream_t*, std::uint64_t, const char*) {
  return COLLET_OK;
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return run(stream, [&] {
    std::memcpy(at(dst, dst_offset_bytes), at(src, src_offset_bytes), size_bytes);
  });
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  return run(stream, [&] {
    for (std::uint64_t row = 0; row < rect->height; ++row) {
      std::memcpy(at(dst, rect->dst_offset_bytes + row * rect->dst_pitch_bytes),
                  at(src, rect->src_offset_bytes + row * rect->src_pitch_bytes), rect->width_bytes);
    }
  });
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t, std::uint64_t) {
  if (size_bytes == 0) return COLLET_OK;  // `src` may be NULL then
  return run(stream, [&] { std::memcpy(at(dst, dst_offset_bytes), src, size_bytes); });
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t,
                     std::uint64_t) {
  if (size_bytes == 0) return COLLET_OK;  // `dst` may be NULL then
  return run(stream, [&] { std::memcpy(dst, at(src, src_offset_bytes), size_bytes); });
}

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  return run(stream, [&] {
    for (std::uint64_t i = 0; i < size_bytes; i += pattern_size_bytes) {
      std::memcpy(at(dst, dst_offset_bytes + i), pattern, pattern_size_bytes);
    }
  });
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  return run(stream, [&] { function(user_data, COLLET_OK); });
}

// What an event marks is complete already.
collet_status_t wait_event(collet_plugin_stream_t*, collet_plugin_event_t*) { return COLLET_OK; }

constexpr collet_plugin_stream_interface_t kStream = {sizeof(collet_plugin_stream_interface_t),
                                                      0,
                                                      stream_create,
                                                      stream_destroy,
                                                      stream_query,
                                                      stream_synchronize,
                                                      stream_failure,
                                                      stream_reset,
                                                      stream_annotate,
                                                      copy,
                                                      copy_rect,
                                                      write,
                                                      read,
                                                      fill,
                                                      host_function,
                                                      wait_event};

// ---- events

collet_status_t event_create(collet_plugin_device_t*, std::uint32_t flags,
                             collet_plugin_event_t** out_event) {
  return guarded([&] {
    auto event = std::make_unique<Event>();
    event->timing = (flags & COLLET_EVENT_TIMING) != 0;
    *out_event = to_handle(event.release());
  });
}

void event_destroy(collet_plugin_event_t* event) { delete from_handle<Event>(event); }

collet_status_t event_record(collet_plugin_event_t* handle, collet_plugin_stream_t* stream) {
  return run(stream, [&] {
    Event* event = from_handle<Event>(handle);
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
  });
}

collet_status_t event_query(collet_plugin_event_t*) { return COLLET_OK; }

collet_status_t event_synchronize(collet_plugin_event_t*, std::uint64_t) { return COLLET_OK; }

collet_status_t event_elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                              std::int64_t* out_duration_ns) {
  return guarded([&] {
    const Event* first = from_handle<Event>(start);
    const Event* last = from_handle<Event>(end);
    if (!first->recorded || !last->recorded || !first->timing || !last->timing) {
      throw Error(COLLET_ERROR_NOT_RECORDED, "an event was not recorded, or has no timing");
    }
    *out_duration_ns = std::chrono::nanoseconds(last->time - first->time).count();
  });
}

constexpr collet_plugin_event_interface_t kEvent = {sizeof(collet_plugin_event_interface_t),
                                                    0,
                                                    event_create,
                                                    event_destroy,
                                                    event_record,
                                                    event_query,
                                                    event_synchronize,
                                                    event_elapsed};

// ---- the root

Device acme_device;

collet_status_t device_count(std::uint32_t* out_count) {
  return guarded([&] { *out_count = 1; });
}

void check_index(std::uint32_t index) {
  if (index != 0) throw Error(COLLET_ERROR_NO_SUCH_DEVICE, "acme has one device: acme:0");
}

collet_status_t device_properties(std::uint32_t index, collet_device_properties_t* out_properties) {
  return guarded([&] {
    check_index(index);
    collet_device_properties_t properties{};
    copy_text(properties.id, "acme:0");
    copy_text(properties.name, "Acme sample device");
    copy_text(properties.vendor, "Acme");
    properties.kind = COLLET_DEVICE_KIND_CPU;
    properties.flags =
        COLLET_DEVICE_HOST_VISIBLE | COLLET_DEVICE_UNIFIED_MEMORY | COLLET_DEVICE_INLINE_STREAMS;
    properties.compute_units = 1;
    properties.numa_node = -1;
    properties.memory_bytes = kMemoryBytes;
    properties.max_allocation_bytes = kMemoryBytes;
    fill_struct(out_properties, properties);
  });
}

collet_status_t device_open(std::uint32_t index, collet_plugin_device_t** out_device) {
  return guarded([&] {
    check_index(index);
    *out_device = to_handle(&acme_device);
  });
}

void device_close(collet_plugin_device_t*) {}

collet_status_t device_interface(collet_plugin_device_t*, collet_interface_t id,
                                 const void** out_table, const char** out_reason) {
  return guarded([&] {
    switch (id) {
      case COLLET_INTERFACE_MEMORY_V1:
        *out_table = &kMemory;
        return;
      case COLLET_INTERFACE_STREAM_V1:
        *out_table = &kStream;
        return;
      case COLLET_INTERFACE_EVENT_V1:
        *out_table = &kEvent;
        return;
      default:
        *out_reason = "the sample has memory, streams and events, and nothing else";
        throw Error(COLLET_ERROR_UNSUPPORTED, *out_reason);
    }
  });
}

constexpr collet_plugin_t kPlugin = {sizeof(collet_plugin_t),
                                     COLLET_ABI_VERSION,
                                     "acme",
                                     "1.0",
                                     "Acme",
                                     device_count,
                                     device_properties,
                                     device_open,
                                     device_close,
                                     device_interface};

}  // namespace

COLLET_EXPORT_PLUGIN(kPlugin)
