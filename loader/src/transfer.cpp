// SPDX-License-Identifier: Apache-2.0
// Copies and fills: the commands of a stream that move bytes.
#include <collet/stream.h>

#include "dispatch.hpp"
#include "staging.hpp"
#include "sync_report.hpp"
#include "transfer_options.hpp"

namespace collet::loader {
namespace {

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
    const TransferOptions options = read_transfer_options(*on->device, host, size_bytes, desc);
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

collet_status_t collet_stream_write(collet_stream_t* stream, collet_buffer_t* dst,
                                    uint64_t dst_offset_bytes, const void* src, uint64_t size_bytes,
                                    const collet_transfer_desc_t* desc, uint32_t* out_was_async) {
  return transfer(__func__, stream, dst, dst_offset_bytes, src, size_bytes, desc, out_was_async,
                  true, [&](const Stream& on, const Buffer& to, const TransferOptions& options) {
                    return on.table->write(on.impl, to.memory, to.offset_bytes + dst_offset_bytes,
                                           src, size_bytes, options.flags, options.timeout_ns);
                  });
}

collet_status_t collet_stream_read(collet_stream_t* stream, void* dst, collet_buffer_t* src,
                                   uint64_t src_offset_bytes, uint64_t size_bytes,
                                   const collet_transfer_desc_t* desc, uint32_t* out_was_async) {
  return transfer(__func__, stream, src, src_offset_bytes, dst, size_bytes, desc, out_was_async,
                  false, [&](const Stream& on, const Buffer& from, const TransferOptions& options) {
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
