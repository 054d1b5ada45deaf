// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include "call.hpp"

namespace collet::conformance {

collet_status_t try_allocate(Device& device, collet_memory_kind_t kind, std::uint64_t size_bytes,
                             std::uint64_t alignment_bytes, collet_plugin_memory_t** out_memory) {
  return call("memory.allocate", device.memory().allocate, device.handle(), kind, size_bytes,
              alignment_bytes, out_memory);
}

Memory::Memory(Device& device, std::uint64_t size_bytes, collet_memory_kind_t kind,
               std::uint64_t alignment_bytes)
    : device_(&device), size_(size_bytes) {
  expect_ok(try_allocate(device, kind, size_bytes, alignment_bytes, &handle_),
            "allocating " + std::to_string(size_bytes) + " bytes");
  expect(handle_ != nullptr, "allocate answered OK, and gave no memory");
}

Memory::~Memory() {
  if (handle_ == nullptr) return;
  note_call("memory.free");
  device_->memory().free(handle_);
}

std::uint8_t* Memory::host_pointer() const {
  void* pointer = nullptr;
  expect_ok(call("memory.host_pointer", device_->memory().host_pointer, handle_, &pointer),
            "host_pointer");
  expect(pointer != nullptr, "host_pointer answered OK, and gave NULL");
  return static_cast<std::uint8_t*>(pointer);
}

std::uint8_t* Memory::host_pointer_if_any() const {
  void* pointer = nullptr;
  const collet_status_t status =
      call("memory.host_pointer", device_->memory().host_pointer, handle_, &pointer);
  return status == COLLET_OK ? static_cast<std::uint8_t*>(pointer) : nullptr;
}

}  // namespace collet::conformance
