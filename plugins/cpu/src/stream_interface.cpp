// SPDX-License-Identifier: Apache-2.0
/** The table of streams: what a call enqueues. */
#include <collet/sdk/plugin.hpp>
#include <collet/sdk/stream_slots.hpp>

#include "copy.hpp"
#include "device.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::cpu {
namespace {

namespace slots = plugin::stream_slots;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

collet_status_t create(collet_plugin_device_t* device, const collet_stream_desc_t* desc,
                       collet_plugin_stream_t** out_stream) {
  return guarded([&] {
    *out_stream = to_handle(Stream::create(*from_handle<Device>(device), *desc).detach());
  });
}

void destroy(collet_plugin_stream_t* stream) {
  const Ref<Stream> last = Ref<Stream>::adopt(from_handle<Stream>(stream));
  if (last) last->close();
}

std::byte* address(collet_plugin_memory_t* memory, std::uint64_t offset_bytes) {
  return from_handle<Memory>(memory)->data() + offset_bytes;
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    on.enqueue({"copy"}, [&executor = on.device().executor(), to = address(dst, dst_offset_bytes),
                          from = address(src, src_offset_bytes),
                          size_bytes] { copy_bytes(executor, to, from, size_bytes); });
  });
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    on.enqueue({"copy_rect"},
               [&executor = on.device().executor(), to = address(dst, 0), from = address(src, 0),
                shape = *rect] { copy_rows(executor, to, from, shape); });
  });
}

/** A copy from or to host memory: waits for it unless it is asked not to. */
void transfer(Stream& stream, const CommandInfo& what, void* dst, const void* src,
              std::uint64_t size_bytes, std::uint32_t flags, std::uint64_t timeout_ns) {
  const auto command = [&executor = stream.device().executor(), dst, src, size_bytes] {
    copy_bytes(executor, dst, src, size_bytes);
  };
  if ((flags & COLLET_TRANSFER_NON_BLOCKING) != 0) {
    stream.enqueue(what, command);
  } else {
    stream.run_and_wait(what, Deadline::after(timeout_ns), command);
  }
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t flags, std::uint64_t timeout_ns) {
  return guarded([&] {
    transfer(*from_handle<Stream>(stream), {"write"}, address(dst, dst_offset_bytes), src,
             size_bytes, flags, timeout_ns);
  });
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t flags,
                     std::uint64_t timeout_ns) {
  return guarded([&] {
    transfer(*from_handle<Stream>(stream), {"read"}, dst, address(src, src_offset_bytes),
             size_bytes, flags, timeout_ns);
  });
}

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    on.enqueue({"fill"}, [&executor = on.device().executor(), to = address(dst, dst_offset_bytes),
                          size_bytes, repeated = Pattern(pattern, pattern_size_bytes)] {
      repeated.fill(executor, to, size_bytes);
    });
  });
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue({"host_function"}, [=](const Failure* upstream) {
      function(user_data, upstream == nullptr ? COLLET_OK : upstream->status);
    });
  });
}

collet_status_t wait_event(collet_plugin_stream_t* stream, collet_plugin_event_t* event) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue({"wait_event"},
                                         [record = from_handle<Event>(event)->latest()] {
                                           if (!record) return;
                                           record->wait(Deadline::never());
                                           record->throw_if_failed();
                                         });
  });
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

}  // namespace collet::cpu
