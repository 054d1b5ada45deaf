// SPDX-License-Identifier: Apache-2.0
// Copies and fills: the commands of a stream that move bytes.
#include <collet/stream.h>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "pinned_ranges.hpp"
#include "staging.hpp"
#include "sync_report.hpp"

namespace collet::loader {
namespace {

// Bytes from the first to past the last byte of a rectangle; false if that does not fit 64 bits.
bool rect_extent(std::uint64_t width, std::uint64_t height, std::uint64_t pitch,
                 std::uint64_t& extent) noexcept {
  if (width == 0 || height == 0) {
    extent = 0;
    return true;
  }
  std::uint64_t rows = 0;
  return !__builtin_mul_overflow(height - 1, pitch, &rows) &&
         !__builtin_add_overflow(rows, width, &extent);
}

// Options of a transfer.
struct Transfer {
  // NON_BLOCKING where the plugin may read or write the host memory later.
  std::uint32_t flags = 0;
  std::uint64_t timeout_ns = COLLET_TIMEOUT_INFINITE;
  // Asked not to block, from or to pageable memory.
  bool is_hasty = false;
};

Transfer plan_transfer(const Device& device, const void* host, std::uint64_t size_bytes,
                       const collet_transfer_desc_t* desc) {
  if (desc == nullptr) {
    return {};
  }
  const auto own = read_descriptor(desc, COLLET_STRUCT_TRANSFER_DESC, "desc");
  check_flags(own.flags, COLLET_TRANSFER_NON_BLOCKING, "desc.flags");
  const bool asked = (own.flags & COLLET_TRANSFER_NON_BLOCKING) != 0 && size_bytes != 0;
  const bool pinned = asked && is_pinned(host, size_bytes, device);
  return {pinned ? static_cast<std::uint32_t>(COLLET_TRANSFER_NON_BLOCKING) : 0U,
          own.timeout_ns == 0 ? COLLET_TIMEOUT_INFINITE : own.timeout_ns, asked && !pinned};
}

// What collet_stream_write() and collet_stream_read() share. `Issue` calls the table.
template <class Issue>
collet_status_t transfer(const char* function, collet_stream_t* stream, collet_buffer_t* buffer,
                         std::uint64_t offset_bytes, const void* host, std::uint64_t size_bytes,
                         const collet_transfer_desc_t* desc, std::uint32_t* out_was_async,
                         bool is_write, Issue&& issue) noexcept {
  clear_out(out_was_async);
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(function, stream, Kind::kStream);
  }
  const Buffer* memory = find(buffer);
  if (memory == nullptr) [[unlikely]] {
    return refuse_handle(function, buffer, Kind::kBuffer);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(function);
  }
  if (memory->device != on->device) [[unlikely]] {
    return refuse_device(function, "buffer", *memory, *on);
  }
  if (!fits(offset_bytes, size_bytes, *memory)) [[unlikely]] {
    return refuse_range(function, is_write ? "destination" : "source", offset_bytes, size_bytes,
                        buffer);
  }
  if (host == nullptr && size_bytes != 0) [[unlikely]] {
    return refuse_argument(function, "the host memory is NULL");
  }
  return guarded(function, [&] {
    const Transfer options = plan_transfer(*on->device, host, size_bytes, desc);
    const bool may_stage = is_write && options.is_hasty && can_stage(*on->device, size_bytes);
    // There is nothing to wait for on a stream that is at rest.
    if (may_stage && on->table->query(on->impl) == COLLET_NOT_READY &&
        stage_write(*on, *memory, offset_bytes, host, size_bytes,
                    deadline_after(options.timeout_ns))) {
      return;
    }
    if (options.flags == 0 && size_bytes != 0 && !may_stage) {
      report_wait(function, "waits for all earlier work of the stream");
    }
    if (const auto status = issue(*on, *memory, options); status != COLLET_OK) {
      throw_plugin_error(status, on->device->backend_name);
    }
    if (out_was_async != nullptr) {
      *out_was_async = options.flags == 0 ? 0 : 1;
    }
  });
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_stream_copy(collet_stream_t* stream, collet_buffer_t* dst,
                                   uint64_t dst_offset_bytes, collet_buffer_t* src,
                                   uint64_t src_offset_bytes, uint64_t size_bytes) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  const Buffer* to = find(dst);
  if (to == nullptr) [[unlikely]] {
    return refuse_handle(__func__, dst, Kind::kBuffer);
  }
  const Buffer* from = find(src);
  if (from == nullptr) [[unlikely]] {
    return refuse_handle(__func__, src, Kind::kBuffer);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  if (to->device != on->device) [[unlikely]] {
    return refuse_device(__func__, "destination", *to, *on);
  }
  if (from->device != on->device) [[unlikely]] {
    return refuse_device(__func__, "source", *from, *on);
  }
  if (!fits(dst_offset_bytes, size_bytes, *to)) [[unlikely]] {
    return refuse_range(__func__, "destination", dst_offset_bytes, size_bytes, dst);
  }
  if (!fits(src_offset_bytes, size_bytes, *from)) [[unlikely]] {
    return refuse_range(__func__, "source", src_offset_bytes, size_bytes, src);
  }
  if (to == from && overlaps(dst_offset_bytes, src_offset_bytes, size_bytes, size_bytes))
      [[unlikely]] {
    return refuse_overlap(__func__);
  }
  return finish(__func__, *on->device,
                on->table->copy(on->impl, to->memory, to->offset_bytes + dst_offset_bytes,
                                from->memory, from->offset_bytes + src_offset_bytes, size_bytes));
}

collet_status_t collet_stream_copy_rect(collet_stream_t* stream, collet_buffer_t* dst,
                                        collet_buffer_t* src, const collet_rect_t* rect) {
  return guarded(__func__, [&] {
    constexpr const char* kFunction = "collet_stream_copy_rect";
    require_entry();
    const Stream& on = need(kFunction, stream);
    const Buffer& to = need(kFunction, dst);
    const Buffer& from = need(kFunction, src);
    require(rect, "rect");
    same_device(kFunction, "destination", *to.device, *on.device);
    same_device(kFunction, "source", *from.device, *on.device);
    if (rect->height > 1 &&
        (rect->dst_pitch_bytes < rect->width_bytes || rect->src_pitch_bytes < rect->width_bytes)) {
      throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                  "a pitch is less than width_bytes, " + std::to_string(rect->width_bytes));
    }
    std::uint64_t to_extent = 0;
    std::uint64_t from_extent = 0;
    if (!rect_extent(rect->width_bytes, rect->height, rect->dst_pitch_bytes, to_extent) ||
        !fits(rect->dst_offset_bytes, to_extent, to)) {
      throw Error(COLLET_ERROR_OUT_OF_RANGE, "the destination rectangle ends past its buffer of " +
                                                 std::to_string(to.size_bytes) + " bytes");
    }
    if (!rect_extent(rect->width_bytes, rect->height, rect->src_pitch_bytes, from_extent) ||
        !fits(rect->src_offset_bytes, from_extent, from)) {
      throw Error(COLLET_ERROR_OUT_OF_RANGE, "the source rectangle ends past its buffer of " +
                                                 std::to_string(from.size_bytes) + " bytes");
    }
    if (&to == &from &&
        overlaps(rect->dst_offset_bytes, rect->src_offset_bytes, to_extent, from_extent)) {
      throw Error(COLLET_ERROR_OVERLAP, "the rectangles lie in one buffer, between common bytes");
    }
    collet_rect_t placed = *rect;
    placed.dst_offset_bytes += to.offset_bytes;
    placed.src_offset_bytes += from.offset_bytes;
    const auto status = on.table->copy_rect(on.impl, to.memory, from.memory, &placed);
    if (status != COLLET_OK) {
      throw_plugin_error(status, on.device->backend_name);
    }
  });
}

collet_status_t collet_stream_write(collet_stream_t* stream, collet_buffer_t* dst,
                                    uint64_t dst_offset_bytes, const void* src, uint64_t size_bytes,
                                    const collet_transfer_desc_t* desc, uint32_t* out_was_async) {
  return transfer(__func__, stream, dst, dst_offset_bytes, src, size_bytes, desc, out_was_async,
                  true, [&](const Stream& on, const Buffer& to, const Transfer& options) {
                    return on.table->write(on.impl, to.memory, to.offset_bytes + dst_offset_bytes,
                                           src, size_bytes, options.flags, options.timeout_ns);
                  });
}

collet_status_t collet_stream_read(collet_stream_t* stream, void* dst, collet_buffer_t* src,
                                   uint64_t src_offset_bytes, uint64_t size_bytes,
                                   const collet_transfer_desc_t* desc, uint32_t* out_was_async) {
  return transfer(__func__, stream, src, src_offset_bytes, dst, size_bytes, desc, out_was_async,
                  false, [&](const Stream& on, const Buffer& from, const Transfer& options) {
                    return on.table->read(on.impl, dst, from.memory,
                                          from.offset_bytes + src_offset_bytes, size_bytes,
                                          options.flags, options.timeout_ns);
                  });
}

collet_status_t collet_stream_fill(collet_stream_t* stream, collet_buffer_t* dst,
                                   uint64_t dst_offset_bytes, uint64_t size_bytes,
                                   const void* pattern, uint64_t pattern_size_bytes) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  const Buffer* to = find(dst);
  if (to == nullptr) [[unlikely]] {
    return refuse_handle(__func__, dst, Kind::kBuffer);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  if (to->device != on->device) [[unlikely]] {
    return refuse_device(__func__, "destination", *to, *on);
  }
  // One compare for "1, 2, 4, 8 or 16", one for both multiples.
  const std::uint64_t rest = pattern_size_bytes - 1;
  const std::uint64_t bits = pattern_size_bytes | dst_offset_bytes | size_bytes;
  if (pattern == nullptr || rest >= 16 || (bits & rest) != 0) [[unlikely]] {
    return refuse_argument(__func__,
                           "a pattern has 1, 2, 4, 8 or 16 bytes, and the offset and size of a "
                           "fill are multiples of that");
  }
  if (!fits(dst_offset_bytes, size_bytes, *to)) [[unlikely]] {
    return refuse_range(__func__, "destination", dst_offset_bytes, size_bytes, dst);
  }
  return finish(__func__, *on->device,
                on->table->fill(on->impl, to->memory, to->offset_bytes + dst_offset_bytes,
                                size_bytes, pattern, pattern_size_bytes));
}
