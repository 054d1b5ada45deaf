// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <collet/sdk/plugin.hpp>

namespace collet::sim {
namespace {

using plugin::Error;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

collet_status_t create(collet_plugin_device_t*, std::uint32_t flags,
                       collet_plugin_event_t** out_event) {
  return guarded([&] { *out_event = to_handle(new Event(flags)); });
}

void destroy(collet_plugin_event_t* event) { delete from_handle<Event>(event); }

collet_status_t record(collet_plugin_event_t* event, collet_plugin_stream_t* stream) {
  return guarded([&] { from_handle<Event>(event)->record(*from_handle<Stream>(stream)); });
}

collet_status_t query(collet_plugin_event_t* event) {
  return guarded([&] {
    const Ref<Record> record = from_handle<Event>(event)->latest();
    if (!record) return COLLET_OK;
    if (!record->is_complete()) return COLLET_NOT_READY;
    record->throw_if_failed();
    return COLLET_OK;
  });
}

collet_status_t synchronize(collet_plugin_event_t* event, std::uint64_t timeout_ns) {
  return guarded([&] {
    const Ref<Record> record = from_handle<Event>(event)->latest();
    if (!record) return;
    if (!record->wait(Deadline::after(timeout_ns))) {
      throw Error(COLLET_ERROR_TIMEOUT,
                  "the work before the event's record is not complete yet; nothing is lost");
    }
    record->throw_if_failed();
  });
}

Ref<Record> timed_record(Event& event, const char* which) {
  Ref<Record> record = event.latest();
  if (record && event.has_time()) return record;
  throw Error(COLLET_ERROR_NOT_RECORDED,
              std::string("the ") + which +
                  (record ? " event has no time; create it with COLLET_EVENT_TIMING"
                          : " event was never recorded"));
}

collet_status_t elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                        std::int64_t* out_duration_ns) {
  return guarded([&] {
    const Ref<Record> from = timed_record(*from_handle<Event>(start), "start");
    const Ref<Record> to = timed_record(*from_handle<Event>(end), "end");
    if (!from->is_complete() || !to->is_complete()) return COLLET_NOT_READY;
    from->throw_if_failed();
    to->throw_if_failed();
    *out_duration_ns = to->time_ns() - from->time_ns();
    return COLLET_OK;
  });
}

constexpr collet_plugin_event_interface_t kTable = {sizeof(collet_plugin_event_interface_t),
                                                    0,
                                                    create,
                                                    destroy,
                                                    record,
                                                    query,
                                                    synchronize,
                                                    elapsed};

}  // namespace

const collet_plugin_event_interface_t* event_interface() noexcept { return &kTable; }

}  // namespace collet::sim
