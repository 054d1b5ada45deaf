// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdlib>
#include <memory>

#include "tools.hpp"

namespace collet::mutants {
namespace {

constexpr collet_status_t kFailed = COLLET_ERROR_COMMAND_FAILED;
constexpr std::uint64_t kSecond = 1'000'000'000;

struct EventNote {
  bool is_recorded = false;
  bool is_stale = false;
};
auto& events() { return notes<collet_plugin_event_t, EventNote, 3>(); }

/** An event as a careless plugin has it: one number for all that is recorded. */
struct Flag {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t recorded = 0;
  std::uint64_t complete = 0;
};

/** Shared with host functions, which may run when the event is gone. Never freed. */
struct FlagNote {
  Flag* flag = new Flag;
};
auto& flags() { return notes<collet_plugin_event_t, FlagNote, 4>(); }

struct Mark {
  Flag* flag;
  std::uint64_t number;
};

void complete(void* data, collet_status_t) {
  const Mark& mark = *static_cast<Mark*>(data);
  const std::lock_guard lock(mark.flag->mutex);
  if (mark.number > mark.flag->complete) mark.flag->complete = mark.number;
  mark.flag->changed.notify_all();
}

/** Waits for the latest record at the time that it runs. */
void wait_for_latest(void* data, collet_status_t) {
  Flag& flag = *static_cast<Flag*>(data);
  std::unique_lock lock(flag.mutex);
  flag.changed.wait(lock, [&] { return flag.complete >= flag.recorded; });
}

/** Waits for the record that a mark names. */
void wait_for_mark(void* data, collet_status_t) {
  const Mark& mark = *static_cast<Mark*>(data);
  std::unique_lock lock(mark.flag->mutex);
  mark.flag->changed.wait(lock, [&] { return mark.flag->complete >= mark.number; });
}

collet_status_t record_flag(collet_plugin_event_t* event, collet_plugin_stream_t* stream) {
  Flag& flag = *flags().of(event).flag;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(flag.mutex);
    number = ++flag.recorded;
  }
  const collet_status_t status = good().event->record(event, stream);
  if (status != COLLET_OK) return status;
  return good().stream->host_function(stream, complete, new Mark{&flag, number});
}

}  // namespace

MUTANT("evt1-not-ready", "PLUG-EVT-1", "an event that was never recorded is NOT_READY",
       also_breaks("PLUG-STR-8")) {
  plugin.event.record = [](auto* event, auto* stream) {
    const collet_status_t status = good().event->record(event, stream);
    if (status == COLLET_OK) events().of(event).is_recorded = true;
    return status;
  };
  plugin.event.query = [](auto* event) {
    return events().of(event).is_recorded ? good().event->query(event) : COLLET_NOT_READY;
  };
  plugin.event.destroy = [](auto* event) {
    events().forget(event);
    good().event->destroy(event);
  };
}

MUTANT("evt2-at-record", "PLUG-EVT-2", "an event is complete as soon as it is recorded",
       also_breaks("PLUG-EVT-4", "PLUG-STR-4", "PLUG-STR-5")) {
  plugin.event.query = [](auto* event) {
    const collet_status_t status = good().event->query(event);
    return status == COLLET_NOT_READY ? COLLET_OK : status;
  };
  plugin.event.synchronize = [](auto* event, auto timeout) {
    const collet_status_t status = good().event->synchronize(event, timeout);
    return status == COLLET_ERROR_TIMEOUT && timeout < kSecond ? COLLET_OK : status;
  };
}

MUTANT("evt3-ignored", "PLUG-EVT-3", "a wait does not hold",
       also_breaks("PLUG-EVT-5", "PLUG-STR-6")) {
  plugin.stream.wait_event = [](auto* stream, auto*) {
    const collet_status_t status = good().stream->query(stream);
    return status == COLLET_NOT_READY ? COLLET_OK : status;
  };
}

MUTANT("evt3-later-record", "PLUG-EVT-3", "a wait binds to the record of the time when it runs",
       also_breaks("PLUG-EVT-5")) {
  plugin.event.record = record_flag;
  plugin.event.destroy = [](auto* event) {
    flags().forget(event);
    good().event->destroy(event);
  };
  plugin.stream.wait_event = [](auto* stream, auto* event) {
    return good().stream->host_function(stream, wait_for_latest, flags().of(event).flag);
  };
}

MUTANT("evt3-destroyed", "PLUG-EVT-3", "destroying an event ends the waits for it",
       also_breaks("PLUG-EVT-5")) {
  plugin.event.record = record_flag;
  plugin.event.destroy = [](auto* event) {
    Flag& flag = *flags().of(event).flag;
    Mark all{&flag, UINT64_MAX};
    complete(&all, COLLET_OK);
    flags().forget(event);
    good().event->destroy(event);
  };
  plugin.stream.wait_event = [](auto* stream, auto* event) {
    Flag& flag = *flags().of(event).flag;
    return good().stream->host_function(stream, wait_for_mark, new Mark{&flag, flag.recorded});
  };
}

MUTANT("evt4-first-record", "PLUG-EVT-4", "an event that was complete once is so for ever",
       also_breaks("PLUG-EVT-2", "PLUG-STR-4")) {
  plugin.event.record = [](auto* event, auto* stream) {
    EventNote& note = events().of(event);
    if (note.is_recorded && good().event->query(event) == COLLET_OK) note.is_stale = true;
    note.is_recorded = true;
    return good().event->record(event, stream);
  };
  plugin.event.destroy = [](auto* event) {
    events().forget(event);
    good().event->destroy(event);
  };
  plugin.event.query = [](auto* event) {
    return events().of(event).is_stale ? COLLET_OK : good().event->query(event);
  };
  plugin.event.synchronize = [](auto* event, auto timeout) {
    const bool is_stale = events().of(event).is_stale && timeout < kSecond;
    return is_stale ? COLLET_OK : good().event->synchronize(event, timeout);
  };
}

MUTANT("evt5-wait-is-well", "PLUG-EVT-5", "a wait for an event that has failed is no wait") {
  plugin.stream.wait_event = [](auto* stream, auto* event) {
    if (good().event->query(event) == kFailed) return COLLET_OK;
    return good().stream->wait_event(stream, event);
  };
}

MUTANT("evt5-host-is-well", "PLUG-EVT-5", "the host is not told that an event has failed") {
  plugin.event.synchronize = [](auto* event, auto timeout) {
    const collet_status_t status = good().event->synchronize(event, timeout);
    return status == kFailed ? COLLET_OK : status;
  };
}

MUTANT("evt6-microseconds", "PLUG-EVT-6", "elapsed counts microseconds") {
  plugin.event.elapsed = [](auto* start, auto* end, auto* out_ns) {
    const collet_status_t status = good().event->elapsed(start, end, out_ns);
    if (status == COLLET_OK) *out_ns /= 1000;
    return status;
  };
}

MUTANT("evt6-unsigned", "PLUG-EVT-6", "elapsed is never negative") {
  plugin.event.elapsed = [](auto* start, auto* end, auto* out_ns) {
    const collet_status_t status = good().event->elapsed(start, end, out_ns);
    if (status == COLLET_OK) *out_ns = std::abs(*out_ns);
    return status;
  };
}

MUTANT("evt6-untimed", "PLUG-EVT-6", "elapsed is 0 for events without a time",
       also_breaks("PLUG-EVT-1")) {
  plugin.event.elapsed = [](auto* start, auto* end, auto* out_ns) {
    const collet_status_t status = good().event->elapsed(start, end, out_ns);
    if (status != COLLET_ERROR_NOT_RECORDED) return status;
    *out_ns = 0;
    return COLLET_OK;
  };
}

MUTANT("evt6-incomplete", "PLUG-EVT-6", "elapsed is 0 while an event is incomplete") {
  plugin.event.elapsed = [](auto* start, auto* end, auto* out_ns) {
    const collet_status_t status = good().event->elapsed(start, end, out_ns);
    if (status != COLLET_NOT_READY) return status;
    *out_ns = 0;
    return COLLET_OK;
  };
}

}  // namespace collet::mutants
