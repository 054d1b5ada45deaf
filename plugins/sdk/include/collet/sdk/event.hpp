// SPDX-License-Identifier: Apache-2.0
/** Events made of records, and their table. */
#pragma once

#include <collet/plugin/event.h>

#include <collet/sdk/plugin.hpp>
#include <collet/sdk/ref.hpp>
#include <collet/sdk/wait.hpp>
#include <cstdint>
#include <string>

namespace collet::plugin {

/**
 * An event: the latest of its records.
 *
 * `Stream` has `Ref<Record> record()`, or `record(bool timed)` where a time that is going to be
 * asked for costs something. `Record` is RefCounted, and what a record of an event is on a stream:
 * `is_complete()`; `wait(deadline)`, false at the deadline; and for who has seen it complete
 * `throw_if_failed()` and `time_ns()`.
 */
template <class Stream, class Record>
class Event {
 public:
  using Handle = collet_plugin_event_t;

  explicit Event(std::uint32_t flags) noexcept : has_time_((flags & COLLET_EVENT_TIMING) != 0) {}

  void record(Stream& stream) {
    if constexpr (requires { stream.record(has_time_); }) {
      latest_.set(stream.record(has_time_));
    } else {
      latest_.set(stream.record());
    }
  }
  /** The record to wait for; none before the first. Takes no lock. */
  [[nodiscard]] Ref<Record> latest() const noexcept { return latest_.get(); }

  /** COLLET_OK or COLLET_NOT_READY. @throws Error the failure of what came before the record. */
  [[nodiscard]] collet_status_t query() const {
    const Ref<Record> record = latest();
    if (!record) return COLLET_OK;
    if (!record->is_complete()) return COLLET_NOT_READY;
    record->throw_if_failed();
    return COLLET_OK;
  }

  /** @throws Error TIMEOUT, or the failure of what came before the record. */
  void synchronize(const Deadline& deadline) const {
    const Ref<Record> record = latest();
    if (!record) return;
    if (!record->wait(deadline)) {
      throw Error(COLLET_ERROR_TIMEOUT,
                  "the work before the event's record is not complete yet; nothing is lost");
    }
    record->throw_if_failed();
  }

  /** COLLET_NOT_READY where one is not complete. @throws Error NOT_RECORDED, or a failure. */
  [[nodiscard]] static collet_status_t elapsed(const Event& start, const Event& end,
                                               std::int64_t& out_duration_ns) {
    const Ref<Record> from = start.timed_record("start");
    const Ref<Record> to = end.timed_record("end");
    if (!from->is_complete() || !to->is_complete()) return COLLET_NOT_READY;
    from->throw_if_failed();
    to->throw_if_failed();
    out_duration_ns = to->time_ns() - from->time_ns();
    return COLLET_OK;
  }

 private:
  [[nodiscard]] Ref<Record> timed_record(const char* which) const {
    Ref<Record> record = latest();
    if (record && has_time_) return record;
    throw Error(COLLET_ERROR_NOT_RECORDED,
                std::string("the ") + which +
                    (record ? " event has no time; create it with COLLET_EVENT_TIMING"
                            : " event was never recorded"));
  }

  const bool has_time_;
  RefSlot<Record> latest_;
};

/** The table of COLLET_INTERFACE_EVENT_V1 for Event<Stream, Record>. */
template <class Stream, class Record>
class EventTable {
  using Object = Event<Stream, Record>;

  static collet_status_t create(collet_plugin_device_t*, std::uint32_t flags,
                                collet_plugin_event_t** out_event) {
    return guarded([&] { *out_event = to_handle(new Object(flags)); });
  }

  static void destroy(collet_plugin_event_t* event) { delete from_handle<Object>(event); }

  static collet_status_t record(collet_plugin_event_t* event, collet_plugin_stream_t* stream) {
    return guarded([&] { from_handle<Object>(event)->record(*from_handle<Stream>(stream)); });
  }

  static collet_status_t query(collet_plugin_event_t* event) {
    return guarded([&] { return from_handle<Object>(event)->query(); });
  }

  static collet_status_t synchronize(collet_plugin_event_t* event, std::uint64_t timeout_ns) {
    return guarded([&] { from_handle<Object>(event)->synchronize(Deadline::after(timeout_ns)); });
  }

  static collet_status_t elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                                 std::int64_t* out_duration_ns) {
    return guarded([&] {
      return Object::elapsed(*from_handle<Object>(start), *from_handle<Object>(end),
                             *out_duration_ns);
    });
  }

 public:
  static constexpr collet_plugin_event_interface_t kTable = {
      sizeof(collet_plugin_event_interface_t),
      0,
      create,
      destroy,
      record,
      query,
      synchronize,
      elapsed};
};

}  // namespace collet::plugin
