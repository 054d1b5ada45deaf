// SPDX-License-Identifier: Apache-2.0
// What the cases share: handles that release themselves, descriptors, and what a call has answered.
#pragma once

#include <collet/collet.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace collet::test {

template <class T, void (*Release)(T*)>
struct Releaser {
  void operator()(T* handle) const { Release(handle); }
};
template <class T, void (*Release)(T*)>
using Owned = std::unique_ptr<T, Releaser<T, Release>>;

using Allocator = Owned<collet_allocator_t, collet_allocator_release>;
using Stream = Owned<collet_stream_t, collet_stream_release>;
using Buffer = Owned<collet_buffer_t, collet_buffer_release>;
using Event = Owned<collet_event_t, collet_event_release>;
using Program = Owned<collet_program_t, collet_program_release>;
using Kernel = Owned<collet_kernel_t, collet_kernel_release>;
using Plan = Owned<collet_plan_t, collet_plan_release>;

using Bytes = std::vector<unsigned char>;

// The device that this program tests.
collet_device_t* tested_device();
collet_device_t* open_device(const char* selector);
collet_device_properties_t properties_of(collet_device_t* device);

// These end the case where they fail.
Stream make_stream(collet_device_t* device, std::uint32_t flags = 0);
Event make_event(collet_device_t* device, std::uint32_t flags = 0);
Buffer allocate(const Stream& stream, std::uint64_t size_bytes,
                collet_memory_kind_t kind = COLLET_MEMORY_DEVICE);
// NULL for the device's own.
Allocator make_allocator(collet_device_t* device, const collet_allocator_desc_t* desc = nullptr);
Allocator allocator_of(collet_device_t* device);
collet_memory_statistics_t statistics_of(const Allocator& allocator,
                                         collet_memory_kind_t kind = COLLET_MEMORY_DEVICE);
void write(const Stream& stream, const Buffer& buffer, const Bytes& bytes);
Bytes read(const Stream& stream, const Buffer& buffer, std::uint64_t size_bytes);
void synchronize(const Stream& stream);

// Descriptors with their heads set. C++ knows designated initialisers only since C++20, and the
// head is one too many of them.
collet_alloc_desc_t alloc_desc(std::uint64_t size_bytes,
                               collet_memory_kind_t kind = COLLET_MEMORY_DEVICE);
collet_stream_desc_t stream_desc(std::uint32_t flags = 0);
collet_event_desc_t event_desc(std::uint32_t flags = 0);
collet_transfer_desc_t transfer_desc(std::uint32_t flags, std::uint64_t timeout_ns = 0);
collet_program_desc_t program_desc(const collet_program_image_t& image);
collet_op_desc_t op_desc(collet_op_kind_t kind, const std::vector<collet_layout_t>& operands);

// A dense layout, and that of an immediate.
collet_layout_t dense(collet_type_t type, const std::vector<std::int64_t>& sizes);
collet_layout_t immediate(collet_type_t type);

// out = value: the smallest operation there is.
std::vector<collet_layout_t> fill_layouts(std::int64_t size = 4);

// The struct of an out parameter, with its head set.
template <class T>
T out_struct(collet_struct_type_t type) {
  T result{};
  result.base = {type, sizeof(T), nullptr};
  return result;
}

// The text of the thread's last error, and whether it has a part.
std::string message();
bool message_has(const std::string& part);

// Passes a status on. A failure must be what the thread's record tells, by this function.
collet_status_t noted(const char* function, collet_status_t status);

}  // namespace collet::test

// Calls an exported function, and looks at the error record it makes.
#define COLLET_CALL(function, ...) ::collet::test::noted(#function, function(__VA_ARGS__))

namespace Catch {
template <>
struct StringMaker<collet_status_t> {
  static std::string convert(collet_status_t status) { return collet_status_name(status); }
};
}  // namespace Catch
