// SPDX-License-Identifier: Apache-2.0
// The tables of a device that does everything at once, in the calling thread, in host memory.
// Included by exactly one source file of a fake plugin.
#pragma once

#include <collet/plugin.h>
#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/stream.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct collet_plugin_device_t {
  std::uint32_t index = 0;
};

struct collet_plugin_memory_t {
  // The vector's own memory, or that of the caller.
  std::vector<std::byte> owned;
  std::byte* data = nullptr;
};

struct collet_plugin_stream_t {};

struct collet_plugin_event_t {
  std::int64_t recorded_ns = -1;
};

namespace collet::test {

inline constexpr std::uint64_t kFakeMemoryBytes = std::uint64_t{1} << 30;

// ---- memory ----

inline collet_status_t fake_traits(collet_plugin_device_t* /*device*/,
                                   collet_memory_kind_t /*kind*/,
                                   collet_memory_traits_t* out_traits) {
  *out_traits = {sizeof(collet_memory_traits_t), 1, 64, 64, 1, 64, kFakeMemoryBytes};
  return COLLET_OK;
}

inline collet_status_t fake_allocate(collet_plugin_device_t* /*device*/,
                                     collet_memory_kind_t /*kind*/, std::uint64_t size_bytes,
                                     std::uint64_t /*alignment_bytes*/,
                                     collet_plugin_memory_t** out_memory) {
  constexpr std::uint64_t kAlignment = 64;
  if (size_bytes > kFakeMemoryBytes) {
    return COLLET_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  auto* memory = new collet_plugin_memory_t;
  memory->owned.resize(size_bytes + kAlignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory->owned.data());
  memory->data = memory->owned.data() + (kAlignment - address % kAlignment) % kAlignment;
  *out_memory = memory;
  return COLLET_OK;
}

inline void fake_free(collet_plugin_memory_t* memory) { delete memory; }

inline collet_status_t fake_register_host(collet_plugin_device_t* /*device*/, void* data,
                                          std::uint64_t /*size_bytes*/,
                                          collet_plugin_memory_t** out_memory) {
  *out_memory = new collet_plugin_memory_t{{}, static_cast<std::byte*>(data)};
  return COLLET_OK;
}

inline collet_status_t fake_host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  *out_pointer = memory->data;
  return COLLET_OK;
}

inline collet_status_t fake_native_pointer(collet_plugin_memory_t* memory,
                                           std::uint64_t* out_pointer) {
  *out_pointer = reinterpret_cast<std::uint64_t>(memory->data);
  return COLLET_OK;
}

inline collet_status_t fake_info(collet_plugin_device_t* /*device*/, std::uint64_t* out_free_bytes,
                                 std::uint64_t* out_total_bytes) {
  *out_free_bytes = kFakeMemoryBytes;
  *out_total_bytes = kFakeMemoryBytes;
  return COLLET_OK;
}

inline constexpr collet_plugin_memory_interface_t kFakeMemory{
    sizeof(collet_plugin_memory_interface_t),
    0,
    fake_traits,
    fake_allocate,
    fake_free,
    fake_register_host,
    fake_host_pointer,
    fake_native_pointer,
    fake_info};

// ---- stream ----

inline collet_status_t fake_stream_create(collet_plugin_device_t* /*device*/,
                                          const collet_stream_desc_t* /*desc*/,
                                          collet_plugin_stream_t** out_stream) {
  *out_stream = new collet_plugin_stream_t;
  return COLLET_OK;
}

inline void fake_stream_destroy(collet_plugin_stream_t* stream) { delete stream; }

inline collet_status_t fake_stream_query(collet_plugin_stream_t* /*stream*/) { return COLLET_OK; }

inline collet_status_t fake_stream_synchronize(collet_plugin_stream_t* /*stream*/,
                                               std::uint64_t /*timeout_ns*/) {
  return COLLET_OK;
}

inline collet_status_t fake_stream_failure(collet_plugin_stream_t* /*stream*/,
                                           collet_stream_failure_t* out_failure) {
  out_failure->status = COLLET_OK;
  return COLLET_OK;
}

inline collet_status_t fake_stream_reset(collet_plugin_stream_t* /*stream*/) { return COLLET_OK; }

inline collet_status_t fake_stream_annotate(collet_plugin_stream_t* /*stream*/,
                                            std::uint64_t /*correlation_id*/,
                                            const char* /*label*/) {
  return COLLET_OK;
}

inline collet_status_t fake_copy(collet_plugin_stream_t* /*stream*/, collet_plugin_memory_t* dst,
                                 std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                                 std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  if (size_bytes > 0) {
    std::memcpy(dst->data + dst_offset_bytes, src->data + src_offset_bytes, size_bytes);
  }
  return COLLET_OK;
}

inline collet_status_t fake_copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                                      collet_plugin_memory_t* src, const collet_rect_t* rect) {
  for (std::uint64_t row = 0; row < rect->height; ++row) {
    fake_copy(stream, dst, rect->dst_offset_bytes + row * rect->dst_pitch_bytes, src,
              rect->src_offset_bytes + row * rect->src_pitch_bytes, rect->width_bytes);
  }
  return COLLET_OK;
}

inline collet_status_t fake_write(collet_plugin_stream_t* /*stream*/, collet_plugin_memory_t* dst,
                                  std::uint64_t dst_offset_bytes, const void* src,
                                  std::uint64_t size_bytes, std::uint32_t /*flags*/,
                                  std::uint64_t /*timeout_ns*/) {
  if (size_bytes > 0) {
    std::memcpy(dst->data + dst_offset_bytes, src, size_bytes);
  }
  return COLLET_OK;
}

inline collet_status_t fake_read(collet_plugin_stream_t* /*stream*/, void* dst,
                                 collet_plugin_memory_t* src, std::uint64_t src_offset_bytes,
                                 std::uint64_t size_bytes, std::uint32_t /*flags*/,
                                 std::uint64_t /*timeout_ns*/) {
  if (size_bytes > 0) {
    std::memcpy(dst, src->data + src_offset_bytes, size_bytes);
  }
  return COLLET_OK;
}

inline collet_status_t fake_fill(collet_plugin_stream_t* /*stream*/, collet_plugin_memory_t* dst,
                                 std::uint64_t dst_offset_bytes, std::uint64_t size_bytes,
                                 const void* pattern, std::uint64_t pattern_size_bytes) {
  for (std::uint64_t done = 0; done < size_bytes; done += pattern_size_bytes) {
    std::memcpy(dst->data + dst_offset_bytes + done, pattern, pattern_size_bytes);
  }
  return COLLET_OK;
}

inline collet_status_t fake_host_function(collet_plugin_stream_t* /*stream*/,
                                          collet_host_function_t function, void* user_data) {
  function(user_data, COLLET_OK);
  return COLLET_OK;
}

inline collet_status_t fake_wait_event(collet_plugin_stream_t* /*stream*/,
                                       collet_plugin_event_t* /*event*/) {
  return COLLET_OK;
}

inline constexpr collet_plugin_stream_interface_t kFakeStream{
    sizeof(collet_plugin_stream_interface_t),
    0,
    fake_stream_create,
    fake_stream_destroy,
    fake_stream_query,
    fake_stream_synchronize,
    fake_stream_failure,
    fake_stream_reset,
    fake_stream_annotate,
    fake_copy,
    fake_copy_rect,
    fake_write,
    fake_read,
    fake_fill,
    fake_host_function,
    fake_wait_event};

// ---- event ----

inline collet_status_t fake_event_create(collet_plugin_device_t* /*device*/,
                                         std::uint32_t /*flags*/,
                                         collet_plugin_event_t** out_event) {
  *out_event = new collet_plugin_event_t;
  return COLLET_OK;
}

inline void fake_event_destroy(collet_plugin_event_t* event) { delete event; }

inline collet_status_t fake_event_record(collet_plugin_event_t* event,
                                         collet_plugin_stream_t* /*stream*/) {
  event->recorded_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  return COLLET_OK;
}

inline collet_status_t fake_event_query(collet_plugin_event_t* /*event*/) { return COLLET_OK; }

inline collet_status_t fake_event_synchronize(collet_plugin_event_t* /*event*/,
                                              std::uint64_t /*timeout_ns*/) {
  return COLLET_OK;
}

inline collet_status_t fake_event_elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                                          std::int64_t* out_duration_ns) {
  if (start->recorded_ns < 0 || end->recorded_ns < 0) {
    return COLLET_ERROR_NOT_RECORDED;
  }
  *out_duration_ns = end->recorded_ns - start->recorded_ns;
  return COLLET_OK;
}

inline constexpr collet_plugin_event_interface_t kFakeEvent{sizeof(collet_plugin_event_interface_t),
                                                            0,
                                                            fake_event_create,
                                                            fake_event_destroy,
                                                            fake_event_record,
                                                            fake_event_query,
                                                            fake_event_synchronize,
                                                            fake_event_elapsed};

// ---- device ----

inline collet_status_t fake_device_open(std::uint32_t index, collet_plugin_device_t** out_device) {
  *out_device = new collet_plugin_device_t{index};
  return COLLET_OK;
}

inline void fake_device_close(collet_plugin_device_t* device) { delete device; }

inline collet_status_t fake_device_interface(collet_plugin_device_t* /*device*/,
                                             collet_interface_t id, const void** out_table,
                                             const char** out_reason) {
  switch (id) {
    case COLLET_INTERFACE_MEMORY_V1:
      *out_table = &kFakeMemory;
      return COLLET_OK;
    case COLLET_INTERFACE_STREAM_V1:
      *out_table = &kFakeStream;
      return COLLET_OK;
    case COLLET_INTERFACE_EVENT_V1:
      *out_table = &kFakeEvent;
      return COLLET_OK;
    default:
      *out_reason = "a fake device has only memory, streams and events";
      return COLLET_ERROR_UNSUPPORTED;
  }
}

// Fills all but the head.
inline void fake_properties(collet_device_kind_t kind, std::uint64_t memory_bytes,
                            collet_device_properties_t* out_properties) {
  const collet_struct_t head = out_properties->base;
  *out_properties = collet_device_properties_t{};
  out_properties->base = head;
  std::snprintf(out_properties->name, sizeof out_properties->name, "Fake device");
  std::snprintf(out_properties->vendor, sizeof out_properties->vendor, "Collet");
  out_properties->kind = kind;
  out_properties->flags = COLLET_DEVICE_HOST_VISIBLE | COLLET_DEVICE_INLINE_STREAMS;
  out_properties->compute_units = 1;
  out_properties->numa_node = -1;
  out_properties->memory_bytes = memory_bytes;
  out_properties->max_allocation_bytes = kFakeMemoryBytes;
  out_properties->native_types = 1U << COLLET_TYPE_F32;
  out_properties->emulated_types = 1U << COLLET_TYPE_F16;
}

}  // namespace collet::test
