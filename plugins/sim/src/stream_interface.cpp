// SPDX-License-Identifier: Apache-2.0
/** The table of streams: what a call enqueues. */
#include <collet/sdk/plugin.hpp>
#include <collet/sdk/stream_slots.hpp>
#include <string>

#include "copy.hpp"
#include "device.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::sim {
namespace {

using plugin::Error;
namespace slots = plugin::stream_slots;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

collet_status_t create(collet_plugin_device_t* device, const collet_stream_desc_t* desc,
                       collet_plugin_stream_t** out_stream) {
  return guarded([&] {
    Device& on = *from_handle<Device>(device);
    static_cast<void>(on.note_call(Kind::kStream));
    *out_stream = to_handle(new Stream(on, *desc));
    on.counters().count({Kind::kStream});
  });
}

void destroy(collet_plugin_stream_t* stream) {
  // Commands that are enqueued keep the stream.
  static_cast<void>(Ref<Stream>::adopt(from_handle<Stream>(stream)));
}

std::byte* address(collet_plugin_memory_t* memory, std::uint64_t offset_bytes) {
  return from_handle<Memory>(memory)->data() + offset_bytes;
}

Access access(Access::Mode mode, collet_plugin_memory_t* memory, std::uint64_t offset_bytes,
              std::uint64_t size_bytes) {
  return from_handle<Memory>(memory)->access(mode, offset_bytes, size_bytes);
}

/** Memory of the host is at the other end of the device's copy units. */
Path path(collet_plugin_memory_t* dst, collet_plugin_memory_t* src) {
  const bool is_to_host = from_handle<Memory>(dst)->is_host_memory();
  const bool is_from_host = from_handle<Memory>(src)->is_host_memory();
  if (is_to_host == is_from_host) return Path::kInside;
  return is_from_host ? Path::kToDevice : Path::kFromDevice;
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue(
        {Kind::kCopy,
         "",
         size_bytes,
         {access(Access::kRead, src, src_offset_bytes, size_bytes),
          access(Access::kWrite, dst, dst_offset_bytes, size_bytes)},
         path(dst, src)},
        [to = address(dst, dst_offset_bytes), from = address(src, src_offset_bytes), size_bytes] {
          copy_bytes(to, from, size_bytes);
        });
  });
}

Access rows(Access access, std::uint64_t count, std::uint64_t pitch) noexcept {
  access.rows = count;
  access.pitch = pitch;
  return access;
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue(
        {Kind::kCopyRect,
         "",
         rect->width_bytes * rect->height,
         {rows(access(Access::kRead, src, rect->src_offset_bytes, rect->width_bytes), rect->height,
               rect->src_pitch_bytes),
          rows(access(Access::kWrite, dst, rect->dst_offset_bytes, rect->width_bytes), rect->height,
               rect->dst_pitch_bytes)},
         path(dst, src)},
        [to = address(dst, 0), from = address(src, 0), shape = *rect] {
          copy_rows(to, from, shape);
        });
  });
}

struct Transfer {
  void* dst;
  const void* src;
  std::uint64_t size_bytes;

  void operator()() const noexcept { copy_bytes(dst, src, size_bytes); }
};

/** @param host  The end of the copy that is memory of the host, as it is used. */
void transfer(Stream& stream, Work work, const Transfer& command, const Access& host,
              std::uint32_t flags, std::uint64_t timeout_ns) {
  const bool is_pinned = stream.device().pinned().contains(host.begin, host.size_bytes);
  // Other memory is used by nobody else while the call blocks.
  if (is_pinned) work.accesses.push_back(host);
  if ((flags & COLLET_TRANSFER_NON_BLOCKING) == 0) {
    return stream.run_and_wait(std::move(work), Deadline::after(timeout_ns), command);
  }
  if (!is_pinned) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                std::string("a non-blocking ") + name_of(work.kind) + " of " +
                    std::to_string(command.size_bytes) + " bytes needs host memory that " +
                    stream.device().name() + " can reach: allocate it as pinned, or register it");
  }
  stream.enqueue(std::move(work), command);
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t flags, std::uint64_t timeout_ns) {
  return guarded([&] {
    transfer(*from_handle<Stream>(stream),
             {Kind::kWrite,
              "",
              size_bytes,
              {access(Access::kWrite, dst, dst_offset_bytes, size_bytes)},
              Path::kToDevice},
             {address(dst, dst_offset_bytes), src, size_bytes},
             {Access::kRead, static_cast<const std::byte*>(src), size_bytes}, flags, timeout_ns);
  });
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t flags,
                     std::uint64_t timeout_ns) {
  return guarded([&] {
    transfer(*from_handle<Stream>(stream),
             {Kind::kRead,
              "",
              size_bytes,
              {access(Access::kRead, src, src_offset_bytes, size_bytes)},
              Path::kFromDevice},
             {dst, address(src, src_offset_bytes), size_bytes},
             {Access::kWrite, static_cast<const std::byte*>(dst), size_bytes}, flags, timeout_ns);
  });
}

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue(
        {Kind::kFill, "", size_bytes, {access(Access::kWrite, dst, dst_offset_bytes, size_bytes)}},
        [to = address(dst, dst_offset_bytes), size_bytes,
         repeated = Pattern(pattern, pattern_size_bytes)] { repeated.fill(to, size_bytes); });
  });
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue<Code::kForeign>(
        {Kind::kHostFunction}, [=](const Failure* upstream) {
          function(user_data, upstream == nullptr ? COLLET_OK : upstream->status);
        });
  });
}

collet_status_t wait_event(collet_plugin_stream_t* stream, collet_plugin_event_t* event) {
  return guarded(
      [&] { from_handle<Stream>(stream)->wait_for_record(from_handle<Event>(event)->latest()); });
}

constexpr collet_plugin_stream_interface_t kTable = {sizeof(collet_plugin_stream_interface_t),
                                                     0,
                                                     create,
                                                     destroy,
                                                     slots::query<Stream>,
                                                     slots::synchronize<Stream>,
                                                     slots::failure<Stream>,
                                                     slots::reset<Stream>,
                                                     slots::annotate<Stream>,
                                                     copy,
                                                     copy_rect,
                                                     write,
                                                     read,
                                                     fill,
                                                     host_function,
                                                     wait_event};

}  // namespace

const collet_plugin_stream_interface_t* stream_interface() noexcept { return &kTable; }

}  // namespace collet::sim
