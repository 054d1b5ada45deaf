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
  return guarded([&] { *out_stream = to_handle(new Stream(*from_handle<Device>(device), *desc)); });
}

void destroy(collet_plugin_stream_t* stream) {
  // Commands that are enqueued keep the stream.
  static_cast<void>(Ref<Stream>::adopt(from_handle<Stream>(stream)));
}

std::byte* address(collet_plugin_memory_t* memory, std::uint64_t offset_bytes) {
  return from_handle<Memory>(memory)->data() + offset_bytes;
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue(
        {"copy"}, [to = address(dst, dst_offset_bytes), from = address(src, src_offset_bytes),
                   size_bytes] { copy_bytes(to, from, size_bytes); });
  });
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue(
        {"copy_rect"}, [to = address(dst, 0), from = address(src, 0), shape = *rect] {
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

/** @param host  The end of the copy that is memory of the host. */
void transfer(Stream& stream, const CommandInfo& what, const Transfer& command, const void* host,
              std::uint32_t flags, std::uint64_t timeout_ns) {
  if ((flags & COLLET_TRANSFER_NON_BLOCKING) == 0) {
    return stream.run_and_wait(what, Deadline::after(timeout_ns), command);
  }
  if (!stream.device().pinned().contains(host, command.size_bytes)) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                std::string("a non-blocking ") + what.kind + " of " +
                    std::to_string(command.size_bytes) + " bytes needs host memory that " +
                    stream.device().name() + " can reach: allocate it as pinned, or register it");
  }
  stream.enqueue(what, command);
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t flags, std::uint64_t timeout_ns) {
  return guarded([&] {
    transfer(*from_handle<Stream>(stream), {"write"},
             {address(dst, dst_offset_bytes), src, size_bytes}, src, flags, timeout_ns);
  });
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t flags,
                     std::uint64_t timeout_ns) {
  return guarded([&] {
    transfer(*from_handle<Stream>(stream), {"read"},
             {dst, address(src, src_offset_bytes), size_bytes}, dst, flags, timeout_ns);
  });
}

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue(
        {"fill"},
        [to = address(dst, dst_offset_bytes), size_bytes,
         repeated = Pattern(pattern, pattern_size_bytes)] { repeated.fill(to, size_bytes); });
  });
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue<Code::kForeign>(
        {"host_function"}, [=](const Failure* upstream) {
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
