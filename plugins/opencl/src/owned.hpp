// SPDX-License-Identifier: Apache-2.0
/** Objects of OpenCL that are released with their owner. */
#pragma once

#include <utility>

#include "icd.hpp"

namespace collet::opencl {

/** One reference to an object, or none. */
template <class Object, auto kRelease>
class Owned {
 public:
  Owned() = default;
  /** Takes over the caller's reference. */
  explicit Owned(Object object) noexcept : object_(object) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object_ != nullptr) static_cast<void>((icd().*kRelease)(object_));
  }

  [[nodiscard]] Object get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Object object_ = nullptr;
};

using OwnedBuffer = Owned<cl_mem, &Icd::clReleaseMemObject>;
using OwnedContext = Owned<cl_context, &Icd::clReleaseContext>;
using OwnedEvent = Owned<cl_event, &Icd::clReleaseEvent>;
using OwnedKernel = Owned<cl_kernel, &Icd::clReleaseKernel>;
using OwnedProgram = Owned<cl_program, &Icd::clReleaseProgram>;
using OwnedQueue = Owned<cl_command_queue, &Icd::clReleaseCommandQueue>;

/** A further reference to an event. */
[[nodiscard]] inline OwnedEvent retained(cl_event event) noexcept {
  if (event != nullptr) static_cast<void>(icd().clRetainEvent(event));
  return OwnedEvent(event);
}

}  // namespace collet::opencl
