// SPDX-License-Identifier: Apache-2.0
//
// Buffers. Stream::allocate() and Stream::upload() make them.
#pragma once

#include <collet/memory.h>

#include <collet/detail/object.hpp>
#include <collet/device.hpp>
#include <cstdint>
#include <span>
#include <type_traits>

namespace collet {

struct BufferOffset;

/// Memory of a device, or host memory that a device can reach. Copies share the memory; the last
/// one to go frees it in the order of its stream, without waiting. Commands that are recorded
/// through a Stream declare by themselves that they use it.
class Buffer : public detail::Object<collet_buffer_t, collet_buffer_retain, collet_buffer_release> {
 public:
  using Object::Object;

  /// Lets a device reach memory of the caller, as a pinned buffer. The memory must outlive the
  /// buffer, and all commands that use it must be complete before the buffer's last copy goes.
  template <class T>
  static Buffer register_host(const Device& device, std::span<T> memory) {
    collet_buffer_t* handle = nullptr;
    check(collet_host_register(device.get(), memory.data(), memory.size_bytes(), &handle));
    return Buffer(handle);
  }

  collet_buffer_info_t info() const {
    collet_buffer_info_t info = COLLET_BUFFER_INFO_INIT;
    check(collet_buffer_info(get(), &info));
    return info;
  }
  std::uint64_t size_bytes() const { return info().size_bytes; }
  Device device() const { return Device(info().device); }

  /// A place in this buffer; the result does not keep it alive.
  BufferOffset at(std::uint64_t offset_bytes) const noexcept;

  /// The whole elements in memory that the host can reach: pinned or shared memory. Wait for the
  /// commands that use the memory before touching it.
  template <class T>
  std::span<T> host_view() const {
    static_assert(std::is_trivially_copyable_v<T>, "only bytes can be shared with a device");
    void* pointer = nullptr;
    check(collet_buffer_host_pointer(get(), &pointer));
    return {static_cast<T*>(pointer), static_cast<std::size_t>(size_bytes() / sizeof(T))};
  }

  /// Declares that commands of a stream other than the buffer's own use it, for commands that
  /// were not recorded through a Stream. It does not order the streams.
  void use_on(collet_stream_t* stream) const { check(collet_buffer_use_on(get(), stream)); }
};

/// A place in a buffer. Names it, does not keep it alive.
struct BufferOffset {
  collet_buffer_t* buffer = nullptr;
  std::uint64_t offset_bytes = 0;

  BufferOffset(const Buffer& whole) noexcept  // NOLINT(google-explicit-constructor)
      : buffer(whole.get()) {}
  BufferOffset(collet_buffer_t* handle, std::uint64_t offset) noexcept
      : buffer(handle), offset_bytes(offset) {}
};

inline BufferOffset Buffer::at(std::uint64_t offset_bytes) const noexcept {
  return {get(), offset_bytes};
}

}  // namespace collet
