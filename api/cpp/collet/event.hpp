// SPDX-License-Identifier: Apache-2.0
//
// Events. Stream::record() records them, Stream::wait() lets streams wait for them.
#pragma once

#include <collet/event.h>

#include <chrono>
#include <collet/detail/object.hpp>
#include <collet/detail/timeout.hpp>
#include <collet/device.hpp>
#include <cstdint>

namespace collet {

struct EventOptions {
  /// Notes the time, for elapsed().
  bool timing = false;
};

/// A mark in a stream, to wait for and to measure time by. Copies share the event. Any thread.
class Event : public detail::Object<collet_event_t, collet_event_retain, collet_event_release> {
 public:
  explicit Event(const Device& device = current_device(), const EventOptions& options = {})
      : Object(create(device, options)) {}

  /// Whether the most recent record is complete; throws the failure of the recorded work.
  bool query() const {
    const collet_status_t status = collet_event_query(get());
    check(status);
    return status == COLLET_OK;
  }

  /// Waits until the most recent record is complete. Blocking.
  void synchronize() const { check(collet_event_synchronize(get(), COLLET_TIMEOUT_INFINITE)); }

  /// As synchronize(), but gives up after `timeout`, with the answer false. Blocking.
  template <class Rep, class Period>
  [[nodiscard]] bool synchronize(std::chrono::duration<Rep, Period> timeout) const {
    return detail::in_time(collet_event_synchronize(get(), detail::timeout_ns(timeout)));
  }

 private:
  static collet_event_t* create(const Device& device, const EventOptions& options) {
    collet_event_desc_t desc = COLLET_EVENT_DESC_INIT;
    if (options.timing) desc.flags = COLLET_EVENT_TIMING;
    collet_event_t* handle = nullptr;
    check(collet_event_create(device.get(), &desc, &handle));
    return handle;
  }
};

/// Time from one event to another; negative if `end` came first. Throws NOT_RECORDED for events
/// without timing, and for those that no stream has recorded. Blocking: waits for both.
inline std::chrono::nanoseconds elapsed(const Event& start, const Event& end) {
  start.synchronize();
  end.synchronize();
  std::int64_t duration_ns = 0;
  check(collet_event_elapsed(start.get(), end.get(), &duration_ns));
  return std::chrono::nanoseconds(duration_ns);
}

}  // namespace collet
