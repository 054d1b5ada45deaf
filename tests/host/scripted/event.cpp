// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "objects.hpp"

namespace collet::test {
namespace {

collet_status_t create(collet_plugin_device_t* /*device*/, std::uint32_t flags,
                       collet_plugin_event_t** out_event) {
  return scripted("event.create", "", [&] {
    *out_event = new collet_plugin_event_t{script().name('e'), flags, {}, 0, 0};
    return COLLET_OK;
  });
}

void destroy(collet_plugin_event_t* event) {
  const std::unique_ptr<collet_plugin_event_t> owner(event);
  script().enter("event.destroy", event->name);
}

collet_status_t record(collet_plugin_event_t* event, collet_plugin_stream_t* stream) {
  return scripted("event.record", event->name + ' ' + stream->name, [&] {
    const std::lock_guard lock(script().mutex());
    const StreamProgress& progress = script().stream(stream->name);
    if (progress.failure != COLLET_OK) {
      return fail({progress.failure, 7, "SCRIPTED_FAULT", "the stream has failed"});
    }
    event->stream = stream->name;
    event->target = progress.enqueued;
    event->time_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    return COLLET_OK;
  });
}

// The state of the latest record; the caller holds the mutex.
collet_status_t state_of(const collet_plugin_event_t* event) {
  if (event->stream.empty()) {
    return COLLET_OK;
  }
  const StreamProgress& progress = script().stream(event->stream);
  if (progress.failure != COLLET_OK) {
    return fail({progress.failure, 7, "SCRIPTED_FAULT", "the stream has failed"});
  }
  return progress.complete < event->target ? COLLET_NOT_READY : COLLET_OK;
}

collet_status_t query(collet_plugin_event_t* event) {
  return scripted("event.query", event->name, [&] {
    const std::lock_guard lock(script().mutex());
    return state_of(event);
  });
}

collet_status_t synchronize(collet_plugin_event_t* event, std::uint64_t timeout_ns) {
  return scripted("event.synchronize", event->name, [&] {
    std::unique_lock lock(script().mutex());
    const auto over = [&] { return state_of(event) != COLLET_NOT_READY; };
    if (timeout_ns == COLLET_TIMEOUT_INFINITE) {
      script().progress().wait(lock, over);
    } else if (!script().progress().wait_for(lock, std::chrono::nanoseconds(timeout_ns), over)) {
      return fail({COLLET_ERROR_TIMEOUT, 0, nullptr, "the event is not complete"});
    }
    return state_of(event);
  });
}

collet_status_t elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                        std::int64_t* out_duration_ns) {
  return scripted("event.elapsed", "", [&] {
    const std::lock_guard lock(script().mutex());
    for (const auto* event : {start, end}) {
      if (event->stream.empty() || (event->flags & COLLET_EVENT_TIMING) == 0) {
        return fail({COLLET_ERROR_NOT_RECORDED, 0, nullptr, "an event has no time"});
      }
      if (const auto state = state_of(event); state != COLLET_OK) {
        return state;
      }
    }
    *out_duration_ns = end->time_ns - start->time_ns;
    return COLLET_OK;
  });
}

}  // namespace

const collet_plugin_event_interface_t kEvent{sizeof(collet_plugin_event_interface_t),
                                             0,
                                             create,
                                             destroy,
                                             record,
                                             query,
                                             synchronize,
                                             elapsed};

}  // namespace collet::test
