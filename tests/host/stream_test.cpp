// SPDX-License-Identifier: Apache-2.0
// Streams and events of a device: every answer that their functions document.
#include <atomic>
#include <climits>
#include <set>

#include "gate.hpp"
#include "objects.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kShort = 1000;

}  // namespace

TEST_CASE("stream one that is at work says so, and that waiting took too long") {
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  CHECK(collet_stream_query(stream.get()) == COLLET_OK);
  Gate gate(stream);
  CHECK(COLLET_CALL(collet_stream_query, stream.get()) == COLLET_NOT_READY);
  CHECK(COLLET_CALL(collet_stream_synchronize, stream.get(), 0) == COLLET_ERROR_TIMEOUT);
  CHECK(COLLET_CALL(collet_stream_synchronize, stream.get(), kShort) == COLLET_ERROR_TIMEOUT);
  gate.open();
  CHECK(COLLET_CALL(collet_stream_synchronize, stream.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_query, stream.get()) == COLLET_OK);
}

TEST_CASE("stream a sound one has no failure, and can be reset") {
  const Stream stream = make_stream(tested_device());
  auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  failure.status = COLLET_ERROR_INTERNAL;
  CHECK(COLLET_CALL(collet_stream_failure, stream.get(), &failure) == COLLET_OK);
  CHECK(failure.status == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_reset, stream.get()) == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_query, stream.get()) == COLLET_OK);
}

TEST_CASE("stream a priority outside the device's range, and any label, is taken") {
  collet_device_t* device = tested_device();
  const std::string label(1000, 'l');
  for (const std::int32_t priority : {INT_MIN, -1, 0, 1, INT_MAX}) {
    auto desc = stream_desc(COLLET_STREAM_BACKGROUND);
    desc.priority = priority;
    desc.label = label.c_str();
    collet_stream_t* made = nullptr;
    CHECK(COLLET_CALL(collet_stream_create, device, &desc, &made) == COLLET_OK);
    const Stream stream(made);
    CHECK(COLLET_CALL(collet_stream_annotate, stream.get(), UINT64_MAX, label.c_str()) ==
          COLLET_OK);
    CHECK(COLLET_CALL(collet_stream_annotate, stream.get(), 0, nullptr) == COLLET_OK);
  }
}

TEST_CASE("stream a hundred streams are a hundred streams") {
  collet_device_t* device = tested_device();
  std::vector<Stream> streams;
  std::set<collet_stream_t*> handles;
  for (int i = 0; i < 100; ++i) {
    streams.push_back(make_stream(device));
    handles.insert(streams.back().get());
  }
  CHECK(handles.size() == 100);
}

TEST_CASE("stream a host function runs once, in order, and a released stream still runs it") {
  collet_device_t* device = tested_device();
  for (const std::uint32_t flags : {0U, static_cast<std::uint32_t>(COLLET_STREAM_BACKGROUND)}) {
    Stream stream = make_stream(device, flags);
    const Event event = make_event(device);
    std::atomic<int> runs{0};
    const auto count = [](void* runs_of, collet_status_t upstream) {
      *static_cast<std::atomic<int>*>(runs_of) += upstream == COLLET_OK ? 1 : 100;
    };
    CHECK(COLLET_CALL(collet_stream_host_function, stream.get(), count, &runs) == COLLET_OK);
    CHECK(COLLET_CALL(collet_stream_host_function, stream.get(), count, &runs) == COLLET_OK);
    CHECK(COLLET_CALL(collet_event_record, event.get(), stream.get()) == COLLET_OK);
    stream.reset();
    CHECK(COLLET_CALL(collet_event_synchronize, event.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
    CHECK(runs == 2);
  }
}

TEST_CASE("HOST-ERR-5 an event answers as it is recorded, at work and complete") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Event event = make_event(device);
  CHECK(COLLET_CALL(collet_event_query, event.get()) == COLLET_OK);
  CHECK(COLLET_CALL(collet_event_synchronize, event.get(), 0) == COLLET_OK);
  Gate gate(stream);
  CHECK(COLLET_CALL(collet_event_record, event.get(), stream.get()) == COLLET_OK);
  CHECK(COLLET_CALL(collet_event_query, event.get()) == COLLET_NOT_READY);
  CHECK(COLLET_CALL(collet_event_synchronize, event.get(), 0) == COLLET_ERROR_TIMEOUT);
  CHECK(COLLET_CALL(collet_event_synchronize, event.get(), kShort) == COLLET_ERROR_TIMEOUT);
  gate.open();
  CHECK(COLLET_CALL(collet_event_synchronize, event.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  CHECK(COLLET_CALL(collet_event_query, event.get()) == COLLET_OK);
}

TEST_CASE("HOST-ERR-5 the time between events needs two that are recorded with timing") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Event start = make_event(device, COLLET_EVENT_TIMING);
  const Event end = make_event(device, COLLET_EVENT_TIMING);
  const Event untimed = make_event(device);
  std::int64_t duration = 0;
  const auto elapsed = [&](const Event& from, const Event& to) {
    duration = 7;
    return COLLET_CALL(collet_event_elapsed, from.get(), to.get(), &duration);
  };
  CHECK(elapsed(start, end) == COLLET_ERROR_NOT_RECORDED);
  CHECK(duration == 0);
  REQUIRE(collet_event_record(start.get(), stream.get()) == COLLET_OK);
  REQUIRE(collet_event_record(untimed.get(), stream.get()) == COLLET_OK);
  synchronize(stream);
  CHECK(elapsed(start, end) == COLLET_ERROR_NOT_RECORDED);
  CHECK(elapsed(start, untimed) == COLLET_ERROR_NOT_RECORDED);
  {
    Gate gate(stream);
    REQUIRE(collet_event_record(end.get(), stream.get()) == COLLET_OK);
    CHECK(elapsed(start, end) == COLLET_NOT_READY);
    CHECK(duration == 0);
  }
  synchronize(stream);
  CHECK(elapsed(start, end) == COLLET_OK);
  CHECK(duration >= 0);
  const std::int64_t forward = duration;
  CHECK(elapsed(end, start) == COLLET_OK);
  CHECK(duration == -forward);
}

TEST_CASE("stream it waits for an event, and not for one that was never recorded") {
  collet_device_t* device = tested_device();
  const Stream first = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream second = make_stream(device, COLLET_STREAM_BACKGROUND);
  Event event = make_event(device);
  CHECK(COLLET_CALL(collet_stream_wait_event, second.get(), event.get()) == COLLET_OK);
  synchronize(second);
  Gate gate(first);
  REQUIRE(collet_event_record(event.get(), first.get()) == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_wait_event, second.get(), event.get()) == COLLET_OK);
  event.reset();
  CHECK(collet_stream_query(second.get()) == COLLET_NOT_READY);
  gate.open();
  synchronize(second);
  CHECK(collet_stream_query(first.get()) == COLLET_OK);
}

}  // namespace collet::test
