// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include "call.hpp"

namespace collet::conformance {

Event::Event(Device& device, std::uint32_t flags) : device_(device) {
  expect_ok(call("event.create", device.event().create, device.handle(), flags, &handle_),
            "event.create");
}

Event::~Event() { destroy(); }

void Event::destroy() noexcept {
  if (handle_ == nullptr) return;
  note_call("event.destroy");
  device_.event().destroy(handle_);
  handle_ = nullptr;
}

collet_status_t Event::record(collet_plugin_stream_t* stream) const {
  return call("event.record", device_.event().record, handle_, stream);
}

collet_status_t Event::query() const { return call("event.query", device_.event().query, handle_); }

collet_status_t Event::synchronize(std::uint64_t timeout_ns) const {
  return call("event.synchronize", device_.event().synchronize, handle_, timeout_ns);
}

collet_status_t Event::elapsed(const Event& end, std::int64_t& out_ns) const {
  return call("event.elapsed", device_.event().elapsed, handle_, end.handle(), &out_ns);
}

}  // namespace collet::conformance
