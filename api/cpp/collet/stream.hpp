// SPDX-License-Identifier: Apache-2.0
//
// Streams: queues of commands that run in order.
#pragma once

#include <collet/stream.h>

#include <array>
#include <chrono>
#include <collet/allocator.hpp>
#include <collet/detail/host_call.hpp>
#include <collet/detail/object.hpp>
#include <collet/detail/rect.hpp>
#include <collet/detail/timeout.hpp>
#include <collet/device.hpp>
#include <collet/event.hpp>
#include <collet/memory.hpp>
#include <collet/pending.hpp>
#include <collet/program.hpp>
#include <concepts>
#include <cstdint>
#include <future>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace collet {

struct StreamOptions {
  /// Commands make progress without the host, also on devices whose streams run inline.
  bool background = false;
  /// Smaller is more urgent; clamped to the device's range.
  std::int32_t priority = 0;
  /// Names the stream in messages.
  const char* label = nullptr;
};

struct AllocOptions {
  collet_memory_kind_t kind = COLLET_MEMORY_DEVICE;
  /// A power of two; 0: what the device needs at least.
  std::uint64_t alignment_bytes = 0;
  /// Names the user of the memory in reports.
  const char* tag = nullptr;
  /// nullptr: the device's own.
  const Allocator* allocator = nullptr;
};

/// A contiguous range of plain values in host memory: std::vector, std::array, std::span...
template <class Range>
concept HostRange = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

/// As HostRange; the values can be written, and do not end with the expression.
template <class Range>
concept HostTarget = HostRange<Range> && std::ranges::borrowed_range<Range> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

template <class T>
class PinnedArray;
namespace detail {
class DeviceUses;
}

/// A queue of commands. Copies share it. Calls on one stream may come from any thread and are
/// serialized inside. A command that fails *poisons* the stream: every later call throws that
/// failure, until reset().
class Stream : public detail::Object<collet_stream_t, collet_stream_retain, collet_stream_release> {
 public:
  explicit Stream(const Device& device = current_device(), const StreamOptions& options = {})
      : Object(create(device, options)), device_(device) {}

  const Device& device() const noexcept { return device_; }

  /// What it was created with; the priority is the one that is in force.
  collet_stream_info_t info() const {
    collet_stream_info_t info = COLLET_STREAM_INFO_INIT;
    check(collet_stream_info(get(), &info));
    return info;
  }

  // ---- memory ----------------------------------------------------------------------------------

  /// Memory that belongs to this stream, usable at once, with undefined content.
  Buffer allocate(std::uint64_t size_bytes, const AllocOptions& options = {}) const {
    collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
    desc.kind = options.kind;
    desc.size_bytes = size_bytes;
    desc.alignment_bytes = options.alignment_bytes;
    desc.tag = options.tag;
    desc.allocator = options.allocator == nullptr ? nullptr : options.allocator->get();
    collet_buffer_t* handle = nullptr;
    check(collet_buffer_alloc(get(), &desc, &handle));
    return Buffer(handle);
  }

  /// A new buffer with a copy of `source`, which may change at once.
  template <HostRange Range>
  Buffer upload(const Range& source) const {
    const auto bytes = std::as_bytes(std::span(source));
    Buffer buffer = allocate(bytes.size());
    write(buffer, source);
    return buffer;
  }

  /// Copies `source` to a place in a buffer. `source` may change at once, unless it is memory of a
  /// pinned buffer: then not before the copy is complete. May block to stage the values.
  template <HostRange Range>
  void write(BufferOffset target, const Range& source) const {
    enqueue_write(target, std::as_bytes(std::span(source)));
    use(target);
  }

  /// Copies `count` values from `first` on, all of them if left out, to a place in a buffer. Does
  /// not block the host; the commands wait for a copy of another stream that fills the array.
  template <class T>
  void write(BufferOffset target, const PinnedArray<T>& source, std::size_t first = 0,
             std::size_t count = std::dynamic_extent) const;

  /// Fills `target` from a place in a buffer. Blocking: waits for the commands before it.
  template <HostTarget Range>
  void read(BufferOffset source, Range&& target) const {
    const auto bytes = std::as_writable_bytes(std::span(target));
    check(collet_stream_read(get(), bytes.data(), source.buffer, source.offset_bytes, bytes.size(),
                             nullptr, nullptr));
  }

  /// Fills `count` values from `first` on, all of them if left out, from a place in a buffer. Does
  /// not block the host: PinnedArray::host_read() waits. The commands wait for copies of other
  /// streams from and to the array.
  template <class T>
  void read(BufferOffset source, PinnedArray<T>& target, std::size_t first = 0,
            std::size_t count = std::dynamic_extent) const;

  /// As read(), but `target` holds the values only after wait() on the result. It does not block
  /// where `target` is memory of a pinned buffer.
  template <HostTarget Range>
  auto download(BufferOffset source, Range&& target) const {
    const std::span<std::ranges::range_value_t<Range>> values(target);
    const bool is_pending = enqueue_read(source, std::as_writable_bytes(values));
    return Pending(values, is_pending ? std::optional(mark(source)) : std::nullopt);
  }

  /// Copies within the device. The ranges must not share bytes.
  void copy(BufferOffset target, BufferOffset source, std::uint64_t size_bytes) const {
    check(collet_stream_copy(get(), target.buffer, target.offset_bytes, source.buffer,
                             source.offset_bytes, size_bytes));
    use(target);
    use(source);
  }

  /// Copies from a buffer of any device, which `other` orders the reading of. Blocking: waits for
  /// the commands of both streams.
  void copy_across(BufferOffset target, const Stream& other, BufferOffset source,
                   std::uint64_t size_bytes) const {
    check(collet_stream_copy_across(get(), target.buffer, target.offset_bytes, other.get(),
                                    source.buffer, source.offset_bytes, size_bytes, nullptr));
  }

  /// Copies a rectangle of bytes within the device.
  void copy_rect(const Buffer& target, const Buffer& source, const collet_rect_t& rect) const {
    check(collet_stream_copy_rect(get(), target.get(), source.get(), &rect));
    use(target);
    use(source);
  }

  /// Copies a rectangle of bytes of `source` to a buffer. When `source` may change is as of
  /// write().
  template <HostRange Range>
  void write_rect(const Buffer& target, const Range& source, const collet_rect_t& rect) const {
    const auto bytes = std::as_bytes(std::span(source));
    detail::check_rect(bytes.size(), rect.src_offset_bytes, rect.src_pitch_bytes, rect);
    const auto desc = non_blocking();
    check(collet_stream_write_rect(get(), target.get(), bytes.data(), &rect, &desc, nullptr));
    use(target);
  }

  /// Fills a rectangle of bytes of `target` from a buffer. Blocking: waits for the commands before
  /// it.
  template <HostTarget Range>
  void read_rect(const Buffer& source, Range&& target, const collet_rect_t& rect) const {
    const auto bytes = std::as_writable_bytes(std::span(target));
    detail::check_rect(bytes.size(), rect.dst_offset_bytes, rect.dst_pitch_bytes, rect);
    check(collet_stream_read_rect(get(), bytes.data(), source.get(), &rect, nullptr, nullptr));
  }

  /// Fills `count` elements with a value.
  template <class T>
  void fill(BufferOffset target, std::uint64_t count, const T& value) const {
    static_assert(
        std::is_trivially_copyable_v<T> && sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,
        "a pattern has 1, 2, 4, 8 or 16 bytes");
    if (count > UINT64_MAX / sizeof(T)) throw std::length_error("collet: fill: count is too large");
    check(collet_stream_fill(get(), target.buffer, target.offset_bytes, count * sizeof(T), &value,
                             sizeof(T)));
    use(target);
  }

  // ---- kernels and host functions --------------------------------------------------------------

  /// Launches a kernel. Arguments are buffers (or places in them), values of plain types, whose
  /// sizes must be the kernel's, and collet::local(). They are read before the call returns.
  template <class... Arguments>
  void launch(const Kernel& kernel, const Grid& grid, const Arguments&... arguments) const {
    static_assert(sizeof...(Arguments) <= COLLET_MAX_KERNEL_ARGUMENTS, "too many arguments");
    const std::array<collet_argument_t, sizeof...(Arguments)> packed{
        detail::argument(arguments)...};
    collet_launch_t launch{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch.grid[axis] = grid.groups[axis];
      launch.group[axis] = grid.group_size[axis];
    }
    launch.argument_count = static_cast<std::uint32_t>(packed.size());
    launch.arguments = packed.data();
    check(collet_stream_launch(get(), kernel.get(), &launch));
    for (const collet_argument_t& argument : packed) {
      if (argument.kind == COLLET_ARGUMENT_BUFFER) use({argument.buffer, argument.offset_bytes});
    }
  }

  /// Calls a function on the host, in stream order, exactly once, also on a stream that fails
  /// before it: it may take a collet_status_t that says so. It must not call Collet. What it
  /// throws stays in the result, which may be dropped.
  template <class Function>
  std::future<void> host_function(Function&& function) const {
    auto call = detail::make_host_call(std::forward<Function>(function));
    std::future<void> done = call->done();
    check(collet_stream_host_function(get(), detail::HostCall::run, call.get()));
    // The stream owns it now.
    static_cast<void>(call.release());
    return done;
  }

  // ---- order -----------------------------------------------------------------------------------

  /// Records an event: it completes when all commands before it are complete.
  void record(const Event& event) const { check(collet_event_record(event.get(), get())); }

  /// Makes the commands after this call wait for the most recent record of an event. Blocking only
  /// on inline streams.
  void wait(const Event& event) const { check(collet_stream_wait_event(get(), event.get())); }

  /// Whether all commands are complete.
  bool query() const {
    const collet_status_t status = collet_stream_query(get());
    check(status);
    return status == COLLET_OK;
  }

  /// Waits until all commands that are recorded by now are complete. Blocking.
  void synchronize() const { check(collet_stream_synchronize(get(), COLLET_TIMEOUT_INFINITE)); }

  /// As synchronize(), but gives up after `timeout`, with the answer false. Blocking.
  template <class Rep, class Period>
  [[nodiscard]] bool synchronize(std::chrono::duration<Rep, Period> timeout) const {
    return detail::in_time(collet_stream_synchronize(get(), detail::timeout_ns(timeout)));
  }

  // ---- failures --------------------------------------------------------------------------------

  /// What poisons the stream; status COLLET_OK where nothing does.
  collet_stream_failure_t failure() const {
    collet_stream_failure_t failure = COLLET_STREAM_FAILURE_INIT;
    check(collet_stream_failure(get(), &failure));
    return failure;
  }

  /// Makes a poisoned stream usable again. Blocking: waits for commands that run.
  void reset() const { check(collet_stream_reset(get())); }

  /// Labels the commands after this call, in failure records and traces.
  void annotate(std::uint64_t correlation_id, const char* label = nullptr) const {
    check(collet_stream_annotate(get(), correlation_id, label));
  }

 private:
  friend class detail::DeviceUses;

  static collet_stream_t* create(const Device& device, const StreamOptions& options) {
    collet_stream_desc_t desc = COLLET_STREAM_DESC_INIT;
    if (options.background) desc.flags = COLLET_STREAM_BACKGROUND;
    desc.priority = options.priority;
    desc.label = options.label;
    collet_stream_t* handle = nullptr;
    check(collet_stream_create(device.get(), &desc, &handle));
    return handle;
  }

  // Uses on another stream than the buffer's own must be declared before the buffer goes; declaring
  // all costs little. It comes after the command, so that a fault is the command's, not this one's.
  void use(BufferOffset place) const { check(collet_buffer_use_on(place.buffer, get())); }

  static collet_transfer_desc_t non_blocking() {
    collet_transfer_desc_t desc = COLLET_TRANSFER_DESC_INIT;
    desc.flags = COLLET_TRANSFER_NON_BLOCKING;
    return desc;
  }

  void enqueue_write(BufferOffset target, std::span<const std::byte> source) const {
    const auto desc = non_blocking();
    check(collet_stream_write(get(), target.buffer, target.offset_bytes, source.data(),
                              source.size(), &desc, nullptr));
  }

  // Whether it still has to happen.
  bool enqueue_read(BufferOffset source, std::span<std::byte> target) const {
    const auto desc = non_blocking();
    std::uint32_t was_async = 0;
    check(collet_stream_read(get(), target.data(), source.buffer, source.offset_bytes,
                             target.size(), &desc, &was_async));
    return was_async != 0;
  }

  // An event for the end of a command that was just recorded and uses these buffers.
  template <class... Places>
  Event mark(const Places&... used) const {
    try {
      (use(used), ...);
      Event done(device_);
      record(done);
      return done;
    } catch (...) {
      // Nobody would know when the command is over.
      static_cast<void>(collet_stream_synchronize(get(), COLLET_TIMEOUT_INFINITE));
      throw;
    }
  }

  Device device_;
};

}  // namespace collet
