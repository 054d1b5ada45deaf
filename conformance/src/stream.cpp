// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <deque>
#include <mutex>
#include <utility>

#include "call.hpp"
#include "structs.hpp"

namespace collet::conformance {

Stream::Stream(Device& device, std::uint32_t flags, const char* label) : device_(&device) {
  auto desc = make_struct<collet_stream_desc_t>();
  desc.flags = flags;
  desc.label = label;
  expect_ok(call("stream.create", device.stream().create, device.handle(), &desc, &handle_),
            "stream.create");
}

Stream::~Stream() {
  if (handle_ == nullptr) return;
  static_cast<void>(synchronize());
  note_call("stream.destroy");
  device_->stream().destroy(handle_);
}

collet_plugin_stream_t* Stream::release() noexcept { return std::exchange(handle_, nullptr); }

collet_status_t Stream::query() const {
  return call("stream.query", device_->stream().query, handle_);
}

collet_status_t Stream::synchronize(std::uint64_t timeout_ns) const {
  return call("stream.synchronize", device_->stream().synchronize, handle_, timeout_ns);
}

collet_status_t Stream::reset() const {
  return call("stream.reset", device_->stream().reset, handle_);
}

collet_status_t Stream::annotate(std::uint64_t correlation_id, const char* label) const {
  return call("stream.annotate", device_->stream().annotate, handle_, correlation_id, label);
}

collet_status_t Stream::copy(const Memory& dst, std::uint64_t dst_offset, const Memory& src,
                             std::uint64_t src_offset, std::uint64_t size) const {
  return call("stream.copy", device_->stream().copy, handle_, dst.handle(), dst_offset,
              src.handle(), src_offset, size);
}

collet_status_t Stream::copy_rect(const Memory& dst, const Memory& src,
                                  const collet_rect_t& rect) const {
  return call("stream.copy_rect", device_->stream().copy_rect, handle_, dst.handle(), src.handle(),
              &rect);
}

collet_status_t Stream::write(const Memory& dst, std::uint64_t offset, const void* src,
                              std::uint64_t size, std::uint32_t flags,
                              std::uint64_t timeout_ns) const {
  return call("stream.write", device_->stream().write, handle_, dst.handle(), offset, src, size,
              flags, timeout_ns);
}

collet_status_t Stream::read(void* dst, const Memory& src, std::uint64_t offset, std::uint64_t size,
                             std::uint32_t flags, std::uint64_t timeout_ns) const {
  return call("stream.read", device_->stream().read, handle_, dst, src.handle(), offset, size,
              flags, timeout_ns);
}

collet_status_t Stream::fill(const Memory& dst, std::uint64_t offset, std::uint64_t size,
                             const void* pattern, std::uint64_t pattern_size) const {
  return call("stream.fill", device_->stream().fill, handle_, dst.handle(), offset, size, pattern,
              pattern_size);
}

collet_status_t Stream::host_function(collet_host_function_t function, void* user_data) const {
  return call("stream.host_function", device_->stream().host_function, handle_, function,
              user_data);
}

collet_status_t Stream::wait(const Event& event) const {
  return call("stream.wait_event", device_->stream().wait_event, handle_, event.handle());
}

collet_stream_failure_t Stream::failure() const {
  auto failure = make_struct<collet_stream_failure_t>();
  expect_ok(call("stream.failure", device_->stream().failure, handle_, &failure), "stream.failure");
  return failure;
}

void Stream::upload(const Memory& dst, const Bytes& bytes, std::uint64_t offset) const {
  expect_ok(write(dst, offset, bytes.data(), bytes.size()),
            "writing " + std::to_string(bytes.size()) + " bytes to the device");
}

Bytes Stream::download(const Memory& src, std::uint64_t offset, std::uint64_t size) const {
  Bytes bytes(size);
  expect_ok(read(bytes.data(), src, offset, size),
            "reading " + std::to_string(size) + " bytes from the device");
  return bytes;
}

void Stream::then(std::function<void(collet_status_t upstream)> function) const {
  using Function = std::function<void(collet_status_t)>;
  // Kept for ever: a plugin that calls it twice must be seen to do so.
  static std::mutex mutex;
  static auto& kept = *new std::deque<Function>;
  Function* mine = nullptr;
  {
    const std::lock_guard lock(mutex);
    mine = &kept.emplace_back(std::move(function));
  }
  const auto run = [](void* user_data, collet_status_t upstream) {
    (*static_cast<Function*>(user_data))(upstream);
  };
  expect_ok(host_function(run, mine), "enqueuing a host function");
}

void Stream::finish() const { expect_ok(synchronize(), "waiting for a stream"); }

void Stream::record(const Event& event) const {
  expect_ok(event.record(handle_), "recording an event");
}

}  // namespace collet::conformance
