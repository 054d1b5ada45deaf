// SPDX-License-Identifier: Apache-2.0
// The pieces of the hot path: what an exported function does before and after it calls a table.
//
// Refusals are cold functions that make the error record; the path without an error is a handful
// of compares and the call.
#pragma once

#include "error.hpp"
#include "objects.hpp"
#include "process.hpp"

namespace collet::loader {

// Passes a status of the plugin on, and records it if it is an error.
inline collet_status_t finish(const char* function, const Device& device,
                              collet_status_t status) noexcept {
  if (status < 0) [[unlikely]] {
    return record_plugin_error(function, status, device.backend_name.c_str());
  }
  return status;
}

// `offset + size` lies inside the buffer. None has 2^63 bytes, so a range with a greater offset or
// size never does; below that the sum cannot overflow.
inline bool fits(std::uint64_t offset, std::uint64_t size, const Buffer& buffer) noexcept {
  return static_cast<std::int64_t>(offset | size) >= 0 && offset + size <= buffer.size_bytes;
}

inline bool overlaps(std::uint64_t a, std::uint64_t b, std::uint64_t a_size,
                     std::uint64_t b_size) noexcept {
  return a < b + b_size && b < a + a_size;
}

COLLET_COLD collet_status_t refuse_callback(const char* function) noexcept;

// `what` names the object that is on `device` while the stream or event is on `expected`.
COLLET_COLD collet_status_t refuse_device(const char* function, const char* what,
                                          const Device& device, const Device& expected) noexcept;

// `what` names the range, e.g. "destination". Takes the handle of a live buffer, since that is at
// hand where the object would have to be kept for it.
COLLET_COLD collet_status_t refuse_range(const char* function, const char* what,
                                         std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                         collet_buffer_t* buffer) noexcept;

// Source and destination of a copy share bytes of one buffer.
COLLET_COLD collet_status_t refuse_overlap(const char* function) noexcept;

COLLET_COLD collet_status_t refuse_argument(const char* function, const char* message) noexcept;

// The same of two objects. Loads nothing on the path where the devices are equal.
template <class Object, class Other>
COLLET_COLD collet_status_t refuse_device(const char* function, const char* what,
                                          const Object& object, const Other& expected) noexcept {
  return refuse_device(function, what, *object.device, *expected.device);
}

// Throws the error that was just recorded, so that it passes through a guard unchanged.
[[noreturn]] void throw_last_error();

// Throws INVALID_HANDLE, or FORKED, for a handle that names nothing.
template <class Handle>
auto& need(const char* function, Handle* handle) {
  auto* object = find(handle);
  if (object == nullptr) {
    using Object = std::remove_pointer_t<decltype(object)>;
    refuse_handle(function, handle, Object::kKind);
    throw_last_error();
  }
  return *object;
}

// Throws WRONG_DEVICE or WRONG_BACKEND, as refuse_device(), where the devices differ.
void same_device(const char* function, const char* what, const Device& device,
                 const Device& expected);

// Bodies of the exported retain and release functions.
template <class Handle>
collet_status_t retain_handle(const char* function, Handle* handle) noexcept {
  using Object = std::remove_pointer_t<decltype(find(handle))>;
  if (find(handle) == nullptr) [[unlikely]] {
    return refuse_handle(function, handle, Object::kKind);
  }
  SlotPool<Object>::retain(handle);
  return COLLET_OK;
}

// A handle that names nothing is ignored: a release cannot fail, and a forked child owns nothing.
template <class Handle>
void release_handle(Handle* handle) noexcept {
  using Object = std::remove_pointer_t<decltype(find(handle))>;
  if (find(handle) != nullptr) {
    pool<Object>().release(handle);
  }
}

template <class Object, class Handle, class... Args>
void create_handle(Handle** out, Args&&... args) {
  *out = reinterpret_cast<Handle*>(pool<Object>().create(std::forward<Args>(args)...));
}

// A new handle of an object whose last one was dropped.
inline collet_buffer_t* revive_handle(Buffer& buffer) noexcept {
  return reinterpret_cast<collet_buffer_t*>(SlotPool<Buffer>::revive(buffer));
}

// Sets an out pointer to `value` at once, so that it is written on every path.
template <class T>
void clear_out(T* out, T value = T{}) noexcept {
  if (out != nullptr) {
    *out = value;
  }
}

}  // namespace collet::loader
