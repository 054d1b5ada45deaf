// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

void count(void* counter, collet_status_t) { ++*static_cast<std::atomic<int>*>(counter); }

collet_status_t elapsed(const Event& start, const Event& end, std::int64_t* out_duration_ns) {
  return plugin().event->elapsed(start.handle(), end.handle(), out_duration_ns);
}

TEST_CASE("PLUG-EVT-1 an event that was never recorded is complete and holds nobody") {
  const Event event;
  const Stream stream;
  CHECK(event.query() == COLLET_OK);
  CHECK(event.synchronize(0) == COLLET_OK);
  CHECK(event.hold(stream) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_OK);
}

TEST_CASE("PLUG-EVT-2 an event is complete with the commands before it, not sooner or later") {
  const Stream stream;
  Gate before;
  Gate after;
  const Event event;
  before.shut(stream);
  REQUIRE(event.record(stream) == COLLET_OK);
  after.shut(stream);
  CHECK(event.query() == COLLET_NOT_READY);
  CHECK(event.synchronize(0) == COLLET_ERROR_TIMEOUT);
  before.open();
  CHECK(event.synchronize() == COLLET_OK);
  CHECK(event.query() == COLLET_OK);
  CHECK(stream.query() == COLLET_NOT_READY);
  after.open();
}

TEST_CASE("PLUG-EVT-2 who has waited for the last record of a stream finds it idle") {
  const Stream stream;
  const Event event;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(event.record(stream) == COLLET_OK);
    REQUIRE(event.synchronize() == COLLET_OK);
    REQUIRE(stream.query() == COLLET_OK);
  }
}

TEST_CASE("PLUG-EVT-3 a wait binds to the record of the time of the call, and survives the event") {
  const Stream source;
  const Stream waiting;
  std::atomic<int> calls{0};
  Gate first;
  Gate second;
  first.shut(source);
  {
    const Event event;
    REQUIRE(event.record(source) == COLLET_OK);
    REQUIRE(event.hold(waiting) == COLLET_OK);
    second.shut(source);
    REQUIRE(event.record(source) == COLLET_OK);
  }
  REQUIRE(waiting.call(count, &calls) == COLLET_OK);
  CHECK(waiting.query() == COLLET_NOT_READY);
  CHECK(calls == 0);
  first.open();
  CHECK(waiting.synchronize() == COLLET_OK);
  CHECK(calls == 1);
  CHECK(source.query() == COLLET_NOT_READY);
  second.open();
}

TEST_CASE("EVT an event of another device holds a stream") {
  collet_plugin_device_t* device = nullptr;
  REQUIRE(plugin().root->device_open(1, &device) == COLLET_OK);
  const auto desc = headed<collet_stream_desc_t>(COLLET_STRUCT_STREAM_DESC);
  collet_plugin_stream_t* other = nullptr;
  REQUIRE(plugin().stream->create(device, &desc, &other) == COLLET_OK);
  const Stream source;
  const Event event;
  Gate gate;
  gate.shut(source);
  REQUIRE(event.record(source) == COLLET_OK);
  REQUIRE(plugin().stream->wait_event(other, event.handle()) == COLLET_OK);
  CHECK(plugin().stream->query(other) == COLLET_NOT_READY);
  gate.open();
  CHECK(plugin().stream->synchronize(other, UINT64_MAX) == COLLET_OK);
  plugin().stream->destroy(other);
  plugin().root->device_close(device);
}

TEST_CASE("PLUG-EVT-5 an event carries the failure to a stream that already waits") {
  Program program(module_image("good"));
  const Stream source;
  const Stream waiting;
  const Event event;
  std::atomic<int> calls{0};
  Gate gate;
  gate.shut(source);
  REQUIRE(launch(source, program.kernel("fails"), {1, 1, 1}, {}) == COLLET_OK);
  REQUIRE(event.record(source) == COLLET_OK);
  REQUIRE(event.hold(waiting) == COLLET_OK);
  REQUIRE(waiting.call(count, &calls) == COLLET_OK);
  CHECK(waiting.query() == COLLET_NOT_READY);
  gate.open();
  CHECK(event.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(waiting.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(calls == 1);  // host functions run on failed streams too
  const collet_stream_failure_t failure = waiting.failure();
  CHECK(failure.first_candidate == 1);
  CHECK(std::string(failure.command) == "wait_event");
  CHECK(std::string(failure.message).find("launch fails: the kernel has failed") !=
        std::string::npos);
  REQUIRE(plugin().stream->reset(waiting.handle()) == COLLET_OK);
  CHECK(waiting.query() == COLLET_OK);
}

TEST_CASE("PLUG-EVT-6 elapsed answers for each state of the events") {
  const Stream stream;
  const Event start(COLLET_EVENT_TIMING);
  const Event end(COLLET_EVENT_TIMING);
  const Event unrecorded(COLLET_EVENT_TIMING);
  const Event pending(COLLET_EVENT_TIMING);
  const Event plain;
  for (const Event* event : {&start, &end, &plain}) REQUIRE(event->record(stream) == COLLET_OK);
  REQUIRE(stream.synchronize() == COLLET_OK);
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  REQUIRE(elapsed(start, end, &forward) == COLLET_OK);
  REQUIRE(elapsed(end, start, &backward) == COLLET_OK);
  CHECK(forward >= 0);
  CHECK(backward == -forward);
  Gate gate;
  gate.shut(stream);
  REQUIRE(pending.record(stream) == COLLET_OK);
  CHECK(elapsed(start, pending, &forward) == COLLET_NOT_READY);
  CHECK(elapsed(start, unrecorded, &forward) == COLLET_ERROR_NOT_RECORDED);
  CHECK(elapsed(plain, end, &forward) == COLLET_ERROR_NOT_RECORDED);
}

}  // namespace
}  // namespace collet::test
