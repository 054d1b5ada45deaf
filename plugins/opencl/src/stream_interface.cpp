// SPDX-License-Identifier: Apache-2.0
/** The table of streams: what a call enqueues. */
#include <collet/sdk/plugin.hpp>
#include <collet/sdk/stream_slots.hpp>
#include <cstring>

#include "cl_error.hpp"
#include "device.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::opencl {
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

// ---- copies
// --------------------------------------------------------------------------------------

/** Where rows lie: in a memory of the plugin, or at an address of the host. */
struct Side {
  Memory* memory = nullptr;
  std::byte* host = nullptr;
  std::uint64_t offset_bytes = 0;
  std::uint64_t pitch_bytes = 0;

  [[nodiscard]] bool is_host() const noexcept { return memory == nullptr; }
  [[nodiscard]] std::byte* address() const noexcept { return host + offset_bytes; }
  /** Of a side that is not of the host. */
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
  [[nodiscard]] cl_mem buffer() const noexcept { return memory->buffer(); }
};

/** A side in a memory; one that commands cannot use becomes an address. */
Side side_of(collet_plugin_memory_t* memory, std::uint64_t offset_bytes,
             std::uint64_t pitch_bytes = 0) noexcept {
  auto* const of = from_handle<Memory>(memory);
  if (of->is_host_side()) return {nullptr, of->host_pointer(), offset_bytes, pitch_bytes};
  return {of, nullptr, offset_bytes, pitch_bytes};
}

/** Gives a copy of bytes to a queue. */
struct CopyBytes {
  Side dst;
  Side src;
  std::uint64_t size_bytes;

  void operator()(cl_command_queue queue, cl_event* out_event) const {
    if (size_bytes == 0) return;
    if (src.is_host()) {
      check(icd().clEnqueueWriteBuffer(queue, dst.buffer(), CL_FALSE, dst.offset_bytes, size_bytes,
                                       src.address(), 0, nullptr, out_event),
            "clEnqueueWriteBuffer");
    } else if (dst.is_host()) {
      check(icd().clEnqueueReadBuffer(queue, src.buffer(), CL_FALSE, src.offset_bytes, size_bytes,
                                      dst.address(), 0, nullptr, out_event),
            "clEnqueueReadBuffer");
    } else {
      check(icd().clEnqueueCopyBuffer(queue, src.buffer(), dst.buffer(), src.offset_bytes,
                                      dst.offset_bytes, size_bytes, 0, nullptr, out_event),
            "clEnqueueCopyBuffer");
    }
  }
};

/** Gives a copy of rows to a queue. */
struct CopyRows {
  Side dst;
  Side src;
  std::uint64_t width_bytes;
  std::uint64_t height;

  void operator()(cl_command_queue queue, cl_event* out_event) const {
    if (width_bytes == 0 || height == 0) return;
    if (height == 1) return CopyBytes{dst, src, width_bytes}(queue, out_event);
    // OpenCL insists on one pitch where both are in one buffer.
    const bool is_inside = dst.memory == src.memory && dst.memory != nullptr;
    if (is_inside && dst.pitch_bytes != src.pitch_bytes) return row_by_row(queue, out_event);
    const std::size_t dst_origin[3] = {dst.offset_bytes, 0, 0};
    const std::size_t src_origin[3] = {src.offset_bytes, 0, 0};
    const std::size_t region[3] = {width_bytes, height, 1};
    if (src.is_host()) {
      check(icd().clEnqueueWriteBufferRect(queue, dst.buffer(), CL_FALSE, dst_origin, src_origin,
                                           region, dst.pitch_bytes, 0, src.pitch_bytes, 0, src.host,
                                           0, nullptr, out_event),
            "clEnqueueWriteBufferRect");
    } else if (dst.is_host()) {
      check(icd().clEnqueueReadBufferRect(queue, src.buffer(), CL_FALSE, src_origin, dst_origin,
                                          region, src.pitch_bytes, 0, dst.pitch_bytes, 0, dst.host,
                                          0, nullptr, out_event),
            "clEnqueueReadBufferRect");
    } else {
      check(icd().clEnqueueCopyBufferRect(queue, src.buffer(), dst.buffer(), src_origin, dst_origin,
                                          region, src.pitch_bytes, 0, dst.pitch_bytes, 0, 0,
                                          nullptr, out_event),
            "clEnqueueCopyBufferRect");
    }
  }

 private:
  void row_by_row(cl_command_queue queue, cl_event* out_event) const {
    Side to = dst;
    Side from = src;
    for (std::uint64_t row = 0; row < height; ++row) {
      const bool is_last = row + 1 == height;
      CopyBytes{to, from, width_bytes}(queue, is_last ? out_event : nullptr);
      to.offset_bytes += dst.pitch_bytes;
      from.offset_bytes += src.pitch_bytes;
    }
  }
};

/** Between two memories of the host, which OpenCL does not copy. */
void copy_on_host(const Side& dst, const Side& src, std::uint64_t width_bytes,
                  std::uint64_t height) {
  for (std::uint64_t row = 0; row < height && width_bytes > 0; ++row) {
    std::memcpy(dst.address() + row * dst.pitch_bytes, src.address() + row * src.pitch_bytes,
                width_bytes);
  }
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    const Side to = side_of(dst, dst_offset_bytes);
    const Side from = side_of(src, src_offset_bytes);
    if (to.is_host() && from.is_host()) {
      on.enqueue_host({{"copy"}, {}}, false,
                      [=](const Failure*) { copy_on_host(to, from, size_bytes, 1); });
    } else {
      on.enqueue({{"copy"}, {}}, CopyBytes{to, from, size_bytes});
    }
  });
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    const Side to = side_of(dst, rect->dst_offset_bytes, rect->dst_pitch_bytes);
    const Side from = side_of(src, rect->src_offset_bytes, rect->src_pitch_bytes);
    if (to.is_host() && from.is_host()) {
      on.enqueue_host({{"copy_rect"}, {}}, false, [to, from, shape = *rect](const Failure*) {
        copy_on_host(to, from, shape.width_bytes, shape.height);
      });
    } else {
      on.enqueue({{"copy_rect"}, {}}, CopyRows{to, from, rect->width_bytes, rect->height});
    }
  });
}

/** A copy from or to host memory: waits for it unless it is asked not to. */
void transfer(Stream& stream, const What& what, const Side& dst, const Side& src,
              std::uint64_t size_bytes, std::uint32_t flags, std::uint64_t timeout_ns) {
  const bool is_blocking = (flags & COLLET_TRANSFER_NON_BLOCKING) == 0;
  const Deadline deadline = is_blocking ? Deadline::after(timeout_ns) : Deadline::never();
  if (dst.is_host() && src.is_host()) {
    const auto command = [=](const Failure*) { copy_on_host(dst, src, size_bytes, 1); };
    if (is_blocking) return stream.run_on_host_and_wait(what, deadline, command);
    stream.enqueue_host(what, false, command);
  } else {
    const CopyBytes command{dst, src, size_bytes};
    if (is_blocking) return stream.run_and_wait(what, deadline, command);
    stream.enqueue(what, command);
  }
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t flags, std::uint64_t timeout_ns) {
  return guarded([&] {
    // It is only read.
    const Side from{nullptr, static_cast<std::byte*>(const_cast<void*>(src)), 0, 0};
    transfer(*from_handle<Stream>(stream), {{"write"}, {}}, side_of(dst, dst_offset_bytes), from,
             size_bytes, flags, timeout_ns);
  });
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t flags,
                     std::uint64_t timeout_ns) {
  return guarded([&] {
    const Side to{nullptr, static_cast<std::byte*>(dst), 0, 0};
    transfer(*from_handle<Stream>(stream), {{"read"}, {}}, to, side_of(src, src_offset_bytes),
             size_bytes, flags, timeout_ns);
  });
}

// ---- fills, host functions, waits
// ------------------------------------------------------------------

/** A fill, of a buffer or of memory of the host. */
struct Fill {
  static constexpr std::size_t kLongestPattern = 16;

  Side dst;
  std::uint64_t size_bytes = 0;
  std::uint64_t pattern_size_bytes = 0;
  std::byte pattern[kLongestPattern] = {};

  void operator()(cl_command_queue queue, cl_event* out_event) const {
    if (size_bytes == 0) return;
    check(icd().clEnqueueFillBuffer(queue, dst.buffer(), pattern, pattern_size_bytes,
                                    dst.offset_bytes, size_bytes, 0, nullptr, out_event),
          "clEnqueueFillBuffer");
  }

  void operator()(const Failure*) const {
    for (std::uint64_t at = 0; at < size_bytes; at += pattern_size_bytes) {
      std::memcpy(dst.address() + at, pattern, pattern_size_bytes);
    }
  }
};

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    Fill command{side_of(dst, dst_offset_bytes), size_bytes, pattern_size_bytes, {}};
    std::memcpy(command.pattern, pattern, pattern_size_bytes);
    if (command.dst.is_host()) {
      on.enqueue_host({{"fill"}, {}}, false, command);
    } else {
      on.enqueue({{"fill"}, {}}, command);
    }
  });
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  return guarded([&] {
    from_handle<Stream>(stream)->enqueue_host(
        {{"host_function"}, {}}, true, [=](const Failure* upstream) {
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

}  // namespace collet::opencl
