// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace collet::test {

collet_device_t* open_device(const char* selector) {
  collet_device_t* device = nullptr;
  const collet_status_t status = collet_device_open(selector, &device);
  INFO(message());
  REQUIRE(status == COLLET_OK);
  return device;
}

collet_device_t* tested_device() {
  const char* selector = std::getenv("COLLET_HOST_TEST_DEVICE");
  return open_device(selector != nullptr ? selector : "cpu");
}

collet_device_properties_t properties_of(collet_device_t* device) {
  auto properties = out_struct<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  REQUIRE(collet_device_properties(device, &properties) == COLLET_OK);
  return properties;
}

Stream make_stream(collet_device_t* device, std::uint32_t flags) {
  const collet_stream_desc_t desc = stream_desc(flags);
  collet_stream_t* stream = nullptr;
  const collet_status_t status = collet_stream_create(device, &desc, &stream);
  INFO(message());
  REQUIRE(status == COLLET_OK);
  return Stream(stream);
}

Event make_event(collet_device_t* device, std::uint32_t flags) {
  const collet_event_desc_t desc = event_desc(flags);
  collet_event_t* event = nullptr;
  REQUIRE(collet_event_create(device, &desc, &event) == COLLET_OK);
  return Event(event);
}

Buffer allocate(const Stream& stream, std::uint64_t size_bytes, collet_memory_kind_t kind) {
  const collet_alloc_desc_t desc = alloc_desc(size_bytes, kind);
  collet_buffer_t* buffer = nullptr;
  const collet_status_t status = collet_buffer_alloc(stream.get(), &desc, &buffer);
  INFO(message());
  REQUIRE(status == COLLET_OK);
  return Buffer(buffer);
}

Allocator make_allocator(collet_device_t* device, const collet_allocator_desc_t* desc) {
  collet_allocator_t* allocator = nullptr;
  REQUIRE(collet_allocator_create(device, desc, &allocator) == COLLET_OK);
  return Allocator(allocator);
}

Allocator allocator_of(collet_device_t* device) {
  collet_allocator_t* allocator = nullptr;
  REQUIRE(collet_device_allocator(device, &allocator) == COLLET_OK);
  return Allocator(allocator);
}

collet_memory_statistics_t statistics_of(const Allocator& allocator, collet_memory_kind_t kind) {
  auto statistics = out_struct<collet_memory_statistics_t>(COLLET_STRUCT_MEMORY_STATISTICS);
  REQUIRE(collet_allocator_statistics(allocator.get(), kind, &statistics) == COLLET_OK);
  return statistics;
}

void write(const Stream& stream, const Buffer& buffer, const Bytes& bytes) {
  REQUIRE(collet_stream_write(stream.get(), buffer.get(), 0, bytes.data(), bytes.size(), nullptr,
                              nullptr) == COLLET_OK);
}

Bytes read(const Stream& stream, const Buffer& buffer, std::uint64_t size_bytes) {
  Bytes bytes(size_bytes);
  REQUIRE(collet_stream_read(stream.get(), bytes.data(), buffer.get(), 0, size_bytes, nullptr,
                             nullptr) == COLLET_OK);
  return bytes;
}

void synchronize(const Stream& stream) {
  REQUIRE(collet_stream_synchronize(stream.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
}

collet_alloc_desc_t alloc_desc(std::uint64_t size_bytes, collet_memory_kind_t kind) {
  auto desc = out_struct<collet_alloc_desc_t>(COLLET_STRUCT_ALLOC_DESC);
  desc.kind = kind;
  desc.size_bytes = size_bytes;
  return desc;
}

collet_stream_desc_t stream_desc(std::uint32_t flags) {
  auto desc = out_struct<collet_stream_desc_t>(COLLET_STRUCT_STREAM_DESC);
  desc.flags = flags;
  return desc;
}

collet_event_desc_t event_desc(std::uint32_t flags) {
  auto desc = out_struct<collet_event_desc_t>(COLLET_STRUCT_EVENT_DESC);
  desc.flags = flags;
  return desc;
}

collet_transfer_desc_t transfer_desc(std::uint32_t flags, std::uint64_t timeout_ns) {
  auto desc = out_struct<collet_transfer_desc_t>(COLLET_STRUCT_TRANSFER_DESC);
  desc.flags = flags;
  desc.timeout_ns = timeout_ns;
  return desc;
}

collet_program_desc_t program_desc(const collet_program_image_t& image) {
  auto desc = out_struct<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = &image;
  desc.image_count = 1;
  return desc;
}

collet_op_desc_t op_desc(collet_op_kind_t kind, const std::vector<collet_layout_t>& operands) {
  auto desc = out_struct<collet_op_desc_t>(COLLET_STRUCT_OP_DESC);
  desc.kind = kind;
  desc.operands = operands.data();
  desc.operand_count = static_cast<std::uint32_t>(operands.size());
  return desc;
}

collet_layout_t dense(collet_type_t type, const std::vector<std::int64_t>& sizes) {
  collet_layout_t layout{};
  layout.type = type;
  layout.rank = static_cast<std::uint32_t>(sizes.size());
  // Without a sign: sizes that a case makes too large may wrap.
  std::uint64_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    layout.sizes[axis] = sizes[axis];
    layout.strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(sizes[axis]);
  }
  return layout;
}

collet_layout_t immediate(collet_type_t type) {
  collet_layout_t layout = dense(type, {});
  layout.immediate = 1;
  return layout;
}

std::vector<collet_layout_t> fill_layouts(std::int64_t size) {
  return {dense(COLLET_TYPE_F32, {size}), immediate(COLLET_TYPE_F32)};
}

std::string message() { return collet_last_error()->message; }

bool message_has(const std::string& part) {
  const std::string text = message();
  if (text.find(part) == std::string::npos) {
    UNSCOPED_INFO("the message is: " << text << "\nit lacks: " << part);
    return false;
  }
  return true;
}

collet_status_t noted(const char* function, collet_status_t status) {
  if (status >= 0) {
    return status;
  }
  const collet_error_t* error = collet_last_error();
  // Without an allocation: there are cases in which they fail.
  const bool sound = error->status == status && std::strcmp(error->function, function) == 0 &&
                     *error->message != '\0';
  if (!sound) {
    // Threads come here too, and only one of them may talk to the test framework.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    FAIL_CHECK(function << " has answered " << collet_status_name(status) << ", but the record has "
                        << collet_status_name(error->status) << " of " << error->function << ": "
                        << error->message);
  }
  return status;
}

}  // namespace collet::test
