// SPDX-License-Identifier: Apache-2.0
#include <collet/event.h>

#include "descriptor.hpp"
#include "dispatch.hpp"

namespace collet::loader {

Event::Event(Device& on, std::uint32_t flags) : device(&on), table(on.user_event) {
  if (const auto status = table->create(on.impl, flags, &impl); status != COLLET_OK) {
    throw_plugin_error(status, on.backend_name);
  }
}

Event::~Event() { table->destroy(impl); }

}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_event_create(collet_device_t* device, const collet_event_desc_t* desc,
                                    collet_event_t** out_event) {
  clear_out(out_event);
  return guarded(__func__, [&] {
    require_entry();
    require(out_event, "out_event");
    Device& on = need("collet_event_create", device);
    const auto own = read_optional(desc, COLLET_STRUCT_EVENT_DESC, "desc");
    check_flags(own.flags, COLLET_EVENT_TIMING, "desc.flags");
    create_handle<Event>(out_event, on, own.flags);
  });
}

collet_status_t collet_event_retain(collet_event_t* event) {
  return retain_handle(__func__, event);
}

void collet_event_release(collet_event_t* event) { release_handle(event); }

collet_status_t collet_event_record(collet_event_t* event, collet_stream_t* stream) {
  const Event* mark = find(event);
  if (mark == nullptr) [[unlikely]] {
    return refuse_handle(__func__, event, Kind::kEvent);
  }
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  if (mark->device != on->device) [[unlikely]] {
    return refuse_device(__func__, "event", *mark, *on);
  }
  return finish(__func__, *mark->device, mark->table->record(mark->impl, on->impl));
}

collet_status_t collet_event_query(collet_event_t* event) {
  const Event* mark = find(event);
  if (mark == nullptr) [[unlikely]] {
    return refuse_handle(__func__, event, Kind::kEvent);
  }
  return finish(__func__, *mark->device, mark->table->query(mark->impl));
}

collet_status_t collet_event_synchronize(collet_event_t* event, uint64_t timeout_ns) {
  const Event* mark = find(event);
  if (mark == nullptr) [[unlikely]] {
    return refuse_handle(__func__, event, Kind::kEvent);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  return finish(__func__, *mark->device, mark->table->synchronize(mark->impl, timeout_ns));
}

collet_status_t collet_event_elapsed(collet_event_t* start, collet_event_t* end,
                                     int64_t* out_duration_ns) {
  clear_out(out_duration_ns);
  const Event* first = find(start);
  if (first == nullptr) [[unlikely]] {
    return refuse_handle(__func__, start, Kind::kEvent);
  }
  const Event* last = find(end);
  if (last == nullptr) [[unlikely]] {
    return refuse_handle(__func__, end, Kind::kEvent);
  }
  if (out_duration_ns == nullptr) [[unlikely]] {
    return refuse_argument(__func__, "out_duration_ns is NULL");
  }
  if (first->device != last->device) [[unlikely]] {
    return refuse_device(__func__, "end event", *last, *first);
  }
  return finish(__func__, *first->device,
                first->table->elapsed(first->impl, last->impl, out_duration_ns));
}
