// SPDX-License-Identifier: Apache-2.0
// Copies of rectangles: inside a device, and from and to host memory.
#include <collet/stream.h>

#include "dispatch.hpp"
#include "pinned_ranges.hpp"
#include "staging.hpp"
#include "sync_report.hpp"
#include "transfer_options.hpp"

namespace collet::loader {
namespace {

// One side of a rectangle.
struct Side {
  std::uint64_t offset_bytes;
  std::uint64_t pitch_bytes;
};

Side destination_of(const collet_rect_t& rect) noexcept {
  return {rect.dst_offset_bytes, rect.dst_pitch_bytes};
}
Side source_of(const collet_rect_t& rect) noexcept {
  return {rect.src_offset_bytes, rect.src_pitch_bytes};
}

bool is_empty(const collet_rect_t& rect) noexcept {
  return rect.width_bytes == 0 || rect.height == 0;
}

// Bytes from the first to past the last one of a side; false if that does not fit 64 bits.
bool extent_of(const collet_rect_t& rect, const Side& side, std::uint64_t& extent) noexcept {
  if (is_empty(rect)) {
    extent = 0;
    return true;
  }
  std::uint64_t rows = 0;
  return !__builtin_mul_overflow(rect.height - 1, side.pitch_bytes, &rows) &&
         !__builtin_add_overflow(rows, rect.width_bytes, &extent);
}

void check_pitches(const collet_rect_t& rect) {
  if (rect.height > 1 &&
      (rect.dst_pitch_bytes < rect.width_bytes || rect.src_pitch_bytes < rect.width_bytes)) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "a pitch is less than width_bytes, " + std::to_string(rect.width_bytes));
  }
}

// Throws unless a side lies in its buffer; returns its extent.
std::uint64_t need_inside(const char* what, const collet_rect_t& rect, const Side& side,
                          const Buffer& buffer) {
  std::uint64_t extent = 0;
  if (!extent_of(rect, side, extent) || !fits(side.offset_bytes, extent, buffer)) {
    throw Error(COLLET_ERROR_OUT_OF_RANGE, "the " + std::string(what) +
                                               " rectangle ends past its buffer of " +
                                               std::to_string(buffer.size_bytes) + " bytes");
  }
  return extent;
}

void check_status(const Stream& on, collet_status_t status) {
  if (status != COLLET_OK) {
    throw_plugin_error(status, on.device->backend_name);
  }
}

void wait_for(const Stream& on, const Deadline& deadline) {
  check_status(on, on.table->synchronize(on.impl, nanoseconds_until(deadline)));
}

// A command of no bytes, which the plugin takes as it takes any.
void enqueue_empty(const Stream& on, const Rows& rows, std::uint64_t timeout_ns) {
  const Buffer& buffer = *rows.buffer;
  check_status(on, rows.is_write ? on.table->write(on.impl, buffer.memory, buffer.offset_bytes,
                                                   nullptr, 0, 0, timeout_ns)
                                 : on.table->read(on.impl, nullptr, buffer.memory,
                                                  buffer.offset_bytes, 0, 0, timeout_ns));
}

// Where the rows begin, or throws: host memory has no size to be checked, but an end.
Rows rows_of(const Buffer& buffer, const void* host, const collet_rect_t& rect, bool is_write,
             std::uint64_t& host_bytes) {
  const Side at_host = is_write ? source_of(rect) : destination_of(rect);
  const Side at_buffer = is_write ? destination_of(rect) : source_of(rect);
  check_pitches(rect);
  static_cast<void>(need_inside(is_write ? "destination" : "source", rect, at_buffer, buffer));
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  if (!extent_of(rect, at_host, host_bytes) ||
      __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(host), at_host.offset_bytes,
                             &first) ||
      __builtin_add_overflow(first, host_bytes, &end)) {
    throw Error(COLLET_ERROR_OUT_OF_RANGE, "the rectangle ends past the host's address space");
  }
  if (host == nullptr && !is_empty(rect)) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT, "the host memory is NULL");
  }
  return {&buffer,
          at_buffer.offset_bytes,
          at_buffer.pitch_bytes,
          reinterpret_cast<std::byte*>(first),
          at_host.pitch_bytes,
          rect.width_bytes,
          rect.height,
          is_write};
}

// What collet_stream_write_rect() and collet_stream_read_rect() share.
collet_status_t transfer_rect(const char* function, collet_stream_t* stream,
                              collet_buffer_t* buffer, const void* host, const collet_rect_t* rect,
                              const collet_transfer_desc_t* desc, std::uint32_t* out_was_async,
                              bool is_write) noexcept {
  clear_out(out_was_async);
  return guarded(function, [&] {
    require_entry();
    const Stream& on = need(function, stream);
    const Buffer& memory = need(function, buffer);
    require(rect, "rect");
    same_device(function, "buffer", *memory.device, *on.device);
    std::uint64_t host_bytes = 0;
    const Rows rows = rows_of(memory, host, *rect, is_write, host_bytes);
    const TransferOptions options = read_transfer_options(*on.device, rows.host, host_bytes, desc);
    if (is_empty(*rect)) {
      enqueue_empty(on, rows, options.timeout_ns);
      return;
    }
    const auto pinned = find_pinned(rows.host, host_bytes, *on.device);
    if (options.flags != 0 && pinned) {
      enqueue_rows(on, rows, *pinned, rows.host_pitch_bytes);
      clear_out(out_was_async, 1U);
      return;
    }
    const Deadline deadline = deadline_after(options.timeout_ns);
    if (is_write && options.is_hasty && stage_rows(on, rows, deadline)) {
      return;
    }
    report_wait(function, "waits for all earlier work of the stream");
    wait_for(on, deadline);
    if (!pinned) {
      copy_rows(on, rows);
      return;
    }
    enqueue_rows(on, rows, *pinned, rows.host_pitch_bytes);
    wait_for(on, Deadline::max());
  });
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

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
    check_pitches(*rect);
    const auto to_extent = need_inside("destination", *rect, destination_of(*rect), to);
    const auto from_extent = need_inside("source", *rect, source_of(*rect), from);
    if (&to == &from &&
        overlaps(rect->dst_offset_bytes, rect->src_offset_bytes, to_extent, from_extent)) {
      throw Error(COLLET_ERROR_OVERLAP, "the rectangles lie in one buffer, between common bytes");
    }
    collet_rect_t placed = *rect;
    placed.dst_offset_bytes += to.offset_bytes;
    placed.src_offset_bytes += from.offset_bytes;
    check_status(on, on.table->copy_rect(on.impl, to.memory, from.memory, &placed));
  });
}

collet_status_t collet_stream_write_rect(collet_stream_t* stream, collet_buffer_t* dst,
                                         const void* src, const collet_rect_t* rect,
                                         const collet_transfer_desc_t* desc,
                                         uint32_t* out_was_async) {
  return transfer_rect(__func__, stream, dst, src, rect, desc, out_was_async, true);
}

collet_status_t collet_stream_read_rect(collet_stream_t* stream, void* dst, collet_buffer_t* src,
                                        const collet_rect_t* rect,
                                        const collet_transfer_desc_t* desc,
                                        uint32_t* out_was_async) {
  return transfer_rect(__func__, stream, src, dst, rect, desc, out_was_async, false);
}
