// SPDX-License-Identifier: Apache-2.0
// Failures that come after the call: what streams, events and devices tell of them. Settings are
// read once, and so is each case run.
#include <cstdlib>
#include <string>
#include <vector>

#include "host/gate.hpp"

namespace collet::test {
namespace {

collet_device_t* device_with(const char* faults) {
  setenv("COLLET_SIM_FAULTS", faults, 1);
  return open_device("sim:0");
}

collet_status_t fill(const Stream& stream, const Buffer& buffer, unsigned char value = 1) {
  return COLLET_CALL(collet_stream_fill, stream.get(), buffer.get(), 0, 64, &value, 1);
}

collet_status_t wait(const Stream& stream) {
  return COLLET_CALL(collet_stream_synchronize, stream.get(), COLLET_TIMEOUT_INFINITE);
}

void record(const Event& event, const Stream& stream) {
  REQUIRE(collet_event_record(event.get(), stream.get()) == COLLET_OK);
}

collet_stream_failure_t failure_of(const Stream& stream) {
  auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  REQUIRE(collet_stream_failure(stream.get(), &failure) == COLLET_OK);
  return failure;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("HOST-ERR-4 the failure of a stream names its command, and stays until the reset") {
  collet_device_t* device = device_with("fill:nth=2:trap,fill:nth=4:trap");
  const Stream stream = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  REQUIRE(collet_stream_annotate(stream.get(), 41, "harmless") == COLLET_OK);
  REQUIRE(fill(stream, buffer) == COLLET_OK);
  REQUIRE(collet_stream_annotate(stream.get(), 42, "step 3") == COLLET_OK);
  REQUIRE(fill(stream, buffer) == COLLET_OK);
  CHECK(wait(stream) == COLLET_ERROR_COMMAND_FAILED);
  // What is refused later, under another name, is not the failure.
  CHECK(COLLET_CALL(collet_stream_annotate, stream.get(), 43, "step 4") == COLLET_OK);
  for (int look = 0; look < 2; ++look) {
    CHECK(fill(stream, buffer) == COLLET_ERROR_COMMAND_FAILED);
    CHECK(message_has("step 3"));
    const collet_stream_failure_t failure = failure_of(stream);
    CHECK(failure.status == COLLET_ERROR_COMMAND_FAILED);
    CHECK(failure.first_candidate == 2);
    CHECK(failure.last_candidate == 2);
    CHECK(failure.correlation_id == 42);
    CHECK(std::string(failure.command) == "fill");
    CHECK(holds(failure.message, "step 3"));
    CHECK(holds(failure.message, "fill:nth=2:trap"));
  }
  REQUIRE(COLLET_CALL(collet_stream_reset, stream.get()) == COLLET_OK);
  CHECK(failure_of(stream).status == COLLET_OK);
  CHECK(failure_of(stream).first_candidate == 0);
  CHECK(std::string(failure_of(stream).command).empty());
  REQUIRE(fill(stream, buffer) == COLLET_OK);
  REQUIRE(fill(stream, buffer) == COLLET_OK);
  CHECK(wait(stream) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(failure_of(stream).correlation_id == 43);
  CHECK(holds(failure_of(stream).message, "fill:nth=4:trap"));
}

TEST_CASE("HOST-ERR-4 a failure goes with events from stream to stream, and no further") {
  collet_device_t* device = device_with("fill:nth=1:trap");
  std::vector<Stream> chain;
  std::vector<Event> events;
  for (int i = 0; i < 3; ++i) {
    chain.push_back(make_stream(device, COLLET_STREAM_BACKGROUND));
    events.push_back(make_event(device));
  }
  const Stream apart = make_stream(device);
  const Buffer buffer = allocate(apart, 64);
  {
    const Gate gate(chain[0]);
    REQUIRE(fill(chain[0], buffer) == COLLET_OK);
    record(events[0], chain[0]);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      REQUIRE(collet_stream_wait_event(chain[i].get(), events[i - 1].get()) == COLLET_OK);
      record(events[i], chain[i]);
    }
  }
  for (std::size_t i = 0; i < chain.size(); ++i) {
    CHECK(COLLET_CALL(collet_event_synchronize, events[i].get(), COLLET_TIMEOUT_INFINITE) ==
          COLLET_ERROR_COMMAND_FAILED);
    CHECK(COLLET_CALL(collet_event_query, events[i].get()) == COLLET_ERROR_COMMAND_FAILED);
    CHECK(wait(chain[i]) == COLLET_ERROR_COMMAND_FAILED);
    CHECK(message_has("fill:nth=1:trap"));
    CHECK(std::string(failure_of(chain[i]).command) == (i == 0 ? "fill" : "wait_event"));
    CHECK(holds(failure_of(chain[i]).message, "fill:nth=1:trap"));
  }
  CHECK(fill(apart, buffer) == COLLET_OK);
  // The last one goes on, although the first is as it was; its event tells of the old record still.
  REQUIRE(COLLET_CALL(collet_stream_reset, chain[2].get()) == COLLET_OK);
  CHECK(fill(chain[2], buffer) == COLLET_OK);
  CHECK(wait(chain[2]) == COLLET_OK);
  CHECK(COLLET_CALL(collet_event_query, events[2].get()) == COLLET_ERROR_COMMAND_FAILED);
  record(events[2], chain[2]);
  CHECK(COLLET_CALL(collet_event_synchronize, events[2].get(), COLLET_TIMEOUT_INFINITE) ==
        COLLET_OK);
  CHECK(wait(chain[0]) == COLLET_ERROR_COMMAND_FAILED);
}

TEST_CASE("HOST-ERR-5 the time between two events, in each state of the one and the other") {
  collet_device_t* device = device_with("fill:nth=1:trap");
  const Stream sound = make_stream(device);
  const Stream failing = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream busy = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream of_other = make_stream(open_device("sim:1"));
  const Buffer buffer = allocate(sound, 64);
  const Event complete = make_event(device, COLLET_EVENT_TIMING);
  const Event again = make_event(device, COLLET_EVENT_TIMING);
  const Event unrecorded = make_event(device, COLLET_EVENT_TIMING);
  const Event untimed = make_event(device);
  const Event at_work = make_event(device, COLLET_EVENT_TIMING);
  const Event failed = make_event(device, COLLET_EVENT_TIMING);
  const Event elsewhere = make_event(open_device("sim:1"), COLLET_EVENT_TIMING);
  Event released = make_event(device, COLLET_EVENT_TIMING);
  for (const Event* event : {&complete, &untimed}) record(*event, sound);
  record(elsewhere, of_other);
  {
    const Gate gate(failing);
    REQUIRE(fill(failing, buffer) == COLLET_OK);
    record(failed, failing);
    record(again, failing);
  }
  CHECK(wait(failing) == COLLET_ERROR_COMMAND_FAILED);
  record(again, sound);
  synchronize(sound);
  synchronize(of_other);
  const Gate gate(busy);
  record(at_work, busy);
  collet_event_t* const gone = released.get();
  released.reset();

  const struct {
    collet_event_t* event;
    collet_status_t elapsed;
    collet_status_t query;
    collet_status_t look;
  } states[] = {
      {complete.get(), COLLET_OK, COLLET_OK, COLLET_OK},
      {again.get(), COLLET_OK, COLLET_OK, COLLET_OK},
      {unrecorded.get(), COLLET_ERROR_NOT_RECORDED, COLLET_OK, COLLET_OK},
      {untimed.get(), COLLET_ERROR_NOT_RECORDED, COLLET_OK, COLLET_OK},
      {at_work.get(), COLLET_NOT_READY, COLLET_NOT_READY, COLLET_ERROR_TIMEOUT},
      {failed.get(), COLLET_ERROR_COMMAND_FAILED, COLLET_ERROR_COMMAND_FAILED,
       COLLET_ERROR_COMMAND_FAILED},
      {elsewhere.get(), COLLET_ERROR_WRONG_DEVICE, COLLET_OK, COLLET_OK},
      {gone, COLLET_ERROR_INVALID_HANDLE, COLLET_ERROR_INVALID_HANDLE, COLLET_ERROR_INVALID_HANDLE},
      {nullptr, COLLET_ERROR_INVALID_HANDLE, COLLET_ERROR_INVALID_HANDLE,
       COLLET_ERROR_INVALID_HANDLE},
  };
  for (const auto& state : states) {
    CAPTURE(&state - states);
    CHECK(COLLET_CALL(collet_event_query, state.event) == state.query);
    CHECK(COLLET_CALL(collet_event_synchronize, state.event, 0) == state.look);
    std::int64_t forward = 7;
    std::int64_t backward = 7;
    CHECK(COLLET_CALL(collet_event_elapsed, complete.get(), state.event, &forward) ==
          state.elapsed);
    CHECK(COLLET_CALL(collet_event_elapsed, state.event, complete.get(), &backward) ==
          state.elapsed);
    CHECK(forward == -backward);
    if (state.elapsed != COLLET_OK) CHECK(forward == 0);
  }
}

TEST_CASE("HOST-ERR-6 a lost device answers so for good, and tells of the first loss") {
  collet_device_t* device = device_with("fill:nth=2:lose,fill:nth=3:lose");
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream other = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  const Event event = make_event(device);
  {
    const Gate gate(stream);
    for (int i = 0; i < 3; ++i) REQUIRE(fill(stream, buffer) == COLLET_OK);
  }
  CHECK(wait(stream) == COLLET_ERROR_DEVICE_LOST);
  CHECK(failure_of(stream).status == COLLET_ERROR_DEVICE_LOST);
  CHECK(failure_of(stream).first_candidate == 3);
  Bytes host(64, 7);
  for (int round = 0; round < 2; ++round) {
    for (const Stream* one : {&stream, &other}) {
      CHECK(wait(*one) == COLLET_ERROR_DEVICE_LOST);
      CHECK(message_has("fill:nth=2:lose"));
      CHECK(COLLET_CALL(collet_stream_query, one->get()) == COLLET_ERROR_DEVICE_LOST);
      CHECK(fill(*one, buffer) == COLLET_ERROR_DEVICE_LOST);
      CHECK(message_has("fill:nth=2:lose"));
      CHECK(COLLET_CALL(collet_stream_read, one->get(), host.data(), buffer.get(), 0, 64, nullptr,
                        nullptr) == COLLET_ERROR_DEVICE_LOST);
      CHECK(COLLET_CALL(collet_event_record, event.get(), one->get()) == COLLET_ERROR_DEVICE_LOST);
      CHECK(COLLET_CALL(collet_stream_reset, one->get()) == COLLET_ERROR_DEVICE_LOST);
    }
  }
  CHECK(host == Bytes(64, 7));
  // It is still described, and opened as the one that it is.
  CHECK(open_device("sim:0") == device);
  CHECK(std::string(properties_of(device).id) == "sim:0");
}

TEST_CASE("HOST-ERR-6 what is released on a lost device is given back, and waits for nothing") {
  collet_device_t* device = device_with("fill:nth=1:lose");
  const Stream owner = make_stream(device);
  Stream user = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream guilty = make_stream(device);
  Buffer used = allocate(owner, 1000);
  Buffer idle = allocate(owner, 1000);
  Buffer pinned = allocate(owner, 1000, COLLET_MEMORY_PINNED);
  Event event = make_event(device);
  const Allocator allocator = allocator_of(device);
  {
    const Gate gate(user);
    REQUIRE(collet_stream_copy(user.get(), used.get(), 0, idle.get(), 0, 1000) == COLLET_OK);
    for (const Buffer* buffer : {&used, &idle, &pinned}) {
      REQUIRE(collet_buffer_use_on(buffer->get(), user.get()) == COLLET_OK);
    }
    // This one waits for `user` when the device is lost.
    used.reset();
    const Buffer lost = allocate(guilty, 64);
    static_cast<void>(fill(guilty, lost));
    CHECK(wait(guilty) == COLLET_ERROR_DEVICE_LOST);
    idle.reset();
    pinned.reset();
    event.reset();
  }
  user.reset();
  std::uint64_t released = 0;
  CHECK(COLLET_CALL(collet_allocator_trim, allocator.get(), COLLET_TIMEOUT_INFINITE, &released) ==
        COLLET_OK);
  for (const auto kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED}) {
    const collet_memory_statistics_t left = statistics_of(allocator, kind);
    CHECK(left.allocated_bytes.current == 0);
    CHECK(left.active_bytes.current == 0);
    CHECK(left.reserved_bytes.current == 0);
  }
}

TEST_CASE("HOST-ERR-6 other devices go on, and name the lost one where they need it") {
  collet_device_t* device = device_with("fill:device=0:lose");
  const Stream lost = make_stream(device);
  const Stream sound = make_stream(open_device("sim:1"));
  const Buffer of_lost = allocate(lost, 64);
  const Buffer of_sound = allocate(sound, 64);
  static_cast<void>(fill(lost, of_lost));
  CHECK(wait(lost) == COLLET_ERROR_DEVICE_LOST);
  write(sound, of_sound, Bytes(64, 3));
  const auto across = [](const Stream& to, const Buffer& target, const Stream& from,
                         const Buffer& source) {
    return COLLET_CALL(collet_stream_copy_across, to.get(), target.get(), 0, from.get(),
                       source.get(), 0, 64, nullptr);
  };
  CHECK(across(sound, of_sound, lost, of_lost) == COLLET_ERROR_DEVICE_LOST);
  CHECK(message_has("sim:0"));
  CHECK(across(lost, of_lost, sound, of_sound) == COLLET_ERROR_DEVICE_LOST);
  CHECK(read(sound, of_sound, 64) == Bytes(64, 3));
  CHECK(failure_of(sound).status == COLLET_OK);
}

}  // namespace collet::test
