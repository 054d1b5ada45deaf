// SPDX-License-Identifier: Apache-2.0
//
// The reference to an object of the C API that all wrapped types are made of.
#pragma once

#include <collet/error.hpp>
#include <utility>

namespace collet::detail {

/// One reference to a counted object. Copies share the object; a moved-from one is empty, and
/// calls on an empty one throw INVALID_HANDLE. As with pointers, different Objects may be used from
/// different threads at once, even if they share the object.
template <class Handle, collet_status_t (*retain)(Handle*), void (*release)(Handle*)>
class Object {
 public:
  /// An empty one.
  Object() noexcept = default;
  /// Takes over the caller's reference.
  explicit Object(Handle* handle) noexcept : handle_(handle) {}

  Object(const Object& other) : handle_(other.handle_) {
    if (handle_ == nullptr) return;
    check(retain(handle_));
  }
  Object(Object&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Object& operator=(const Object& other) {
    if (this != &other) *this = Object(other);
    return *this;
  }
  Object& operator=(Object&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Object() { release(handle_); }

  /// The handle, for calls of the C API. It stays this object's.
  Handle* get() const noexcept { return handle_; }
  /// Whether this is not empty.
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  Handle* handle_ = nullptr;
};

}  // namespace collet::detail
