// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

void nothing(void*, collet_status_t) {}
void count(void* counter, collet_status_t) { ++*static_cast<std::atomic<int>*>(counter); }

collet_status_t elapsed(const Event& start, const Event& end, std::int64_t* out) {
  return plugin().event->elapsed(start.handle(), end.handle(), out);
}

TEST_CASE("PLUG-EVT-1 an event that was never recorded is complete and holds nobody") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Event event;
  const Stream stream(flags);
  CHECK(event.query() == COLLET_OK);
  CHECK(event.synchronize(0) == COLLET_OK);
  CHECK(event.hold(stream) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_OK);
}

TEST_CASE("PLUG-EVT-2 an event is complete with the commands before it, not sooner or later") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  Gate before;
  Gate after;
  const Event event;
  before.shut(stream);
  REQUIRE(event.record(stream) == COLLET_OK);
  after.shut(stream);
  CHECK(event.query() == COLLET_NOT_READY);
  CHECK(event.synchronize(0) == COLLET_ERROR_TIMEOUT);
  CHECK(event.synchronize(kMillisecond) == COLLET_ERROR_TIMEOUT);
  before.open();
  CHECK(event.synchronize() == COLLET_OK);
  CHECK(event.query() == COLLET_OK);
  CHECK(stream.query() == COLLET_NOT_READY);
  after.open();
}

TEST_CASE("PLUG-EVT-2 on an inline stream the event is complete at once") {
  const Stream stream;
  const Event event;
  REQUIRE(event.record(stream) == COLLET_OK);
  CHECK(event.query() == COLLET_OK);
}

TEST_CASE("PLUG-EVT-3 a wait binds to the record of the time of the call") {
  const Stream source(COLLET_STREAM_BACKGROUND);
  const Stream waiting(COLLET_STREAM_BACKGROUND);
  Event event;
  Gate first;
  Gate second;
  first.shut(source);
  REQUIRE(event.record(source) == COLLET_OK);
  REQUIRE(event.hold(waiting) == COLLET_OK);
  second.shut(source);
  REQUIRE(event.record(source) == COLLET_OK);
  CHECK(waiting.query() == COLLET_NOT_READY);
  first.open();
  CHECK(waiting.synchronize() == COLLET_OK);
  CHECK(event.query() == COLLET_NOT_READY);
  second.open();
  CHECK(event.synchronize() == COLLET_OK);
}

TEST_CASE("PLUG-EVT-3 a wait survives its event") {
  const Stream source(COLLET_STREAM_BACKGROUND);
  const Stream waiting(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  Gate gate;
  gate.shut(source);
  {
    Event event;
    REQUIRE(event.record(source) == COLLET_OK);
    REQUIRE(event.hold(waiting) == COLLET_OK);
    event.destroy();
  }
  REQUIRE(waiting.call(count, &calls) == COLLET_OK);
  CHECK(waiting.query() == COLLET_NOT_READY);
  CHECK(calls == 0);
  gate.open();
  CHECK(waiting.synchronize() == COLLET_OK);
  CHECK(calls == 1);
}

TEST_CASE("PLUG-EVT-4 the latest record counts, also where an earlier one is complete") {
  const Stream quick(COLLET_STREAM_BACKGROUND);
  const Stream slow(COLLET_STREAM_BACKGROUND);
  const Event event;
  REQUIRE(event.record(quick) == COLLET_OK);
  REQUIRE(event.synchronize() == COLLET_OK);
  Gate gate;
  gate.shut(slow);
  REQUIRE(event.record(slow) == COLLET_OK);
  CHECK(event.query() == COLLET_NOT_READY);
  // And the other way round.
  REQUIRE(event.record(quick) == COLLET_OK);
  CHECK(event.synchronize() == COLLET_OK);
  CHECK(event.query() == COLLET_OK);
  CHECK(slow.query() == COLLET_NOT_READY);
}

TEST_CASE("EVT an inline stream waits for the event in the call") {
  const Stream source(COLLET_STREAM_BACKGROUND);
  const Stream waiting;
  const Event event;
  Gate gate;
  std::atomic<bool> is_back{false};
  gate.shut(source);
  REQUIRE(event.record(source) == COLLET_OK);
  std::thread waiter([&] {
    if (event.hold(waiting) == COLLET_OK) is_back = true;
  });
  gate.wait_until_reached();
  CHECK_FALSE(is_back);
  gate.open();
  waiter.join();
  CHECK(is_back);
  CHECK(waiting.query() == COLLET_OK);
}

TEST_CASE("EVT an event of another device holds a stream") {
  collet_plugin_device_t* device = nullptr;
  REQUIRE(plugin().root->device_open(1, &device) == COLLET_OK);
  auto desc = headed<collet_stream_desc_t>(COLLET_STRUCT_STREAM_DESC);
  desc.flags = COLLET_STREAM_BACKGROUND;
  collet_plugin_stream_t* other = nullptr;
  REQUIRE(plugin().stream->create(device, &desc, &other) == COLLET_OK);
  const Stream source(COLLET_STREAM_BACKGROUND);
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

TEST_CASE("PLUG-EVT-6 elapsed is the time between two records, negative if they are swapped") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Event start(COLLET_EVENT_TIMING);
  const Event end(COLLET_EVENT_TIMING);
  REQUIRE(start.record(stream) == COLLET_OK);
  const auto before = std::chrono::steady_clock::now();
  const auto spin = [](void* until, collet_status_t) {
    while (std::chrono::steady_clock::now() <
           *static_cast<const std::chrono::steady_clock::time_point*>(until)) {
    }
  };
  REQUIRE(start.synchronize() == COLLET_OK);
  auto until = before + std::chrono::milliseconds(2);
  REQUIRE(stream.call(spin, &until) == COLLET_OK);
  REQUIRE(end.record(stream) == COLLET_OK);
  REQUIRE(end.synchronize() == COLLET_OK);
  const auto bound = std::chrono::steady_clock::now() - before + std::chrono::seconds(60);
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  REQUIRE(elapsed(start, end, &forward) == COLLET_OK);
  REQUIRE(elapsed(end, start, &backward) == COLLET_OK);
  CHECK(forward > 0);
  CHECK(forward < std::chrono::nanoseconds(bound).count());
  CHECK(backward == -forward);
  CHECK(elapsed(start, start, &forward) == COLLET_OK);
  CHECK(forward == 0);
}

TEST_CASE("PLUG-EVT-6 elapsed answers for each state of the events") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Event timed(COLLET_EVENT_TIMING);
  const Event unrecorded(COLLET_EVENT_TIMING);
  const Event plain;
  const Event pending(COLLET_EVENT_TIMING);
  Gate gate;
  REQUIRE(timed.record(stream) == COLLET_OK);
  REQUIRE(plain.record(stream) == COLLET_OK);
  REQUIRE(plain.synchronize() == COLLET_OK);
  REQUIRE(stream.call(nothing, nullptr) == COLLET_OK);
  gate.shut(stream);
  REQUIRE(pending.record(stream) == COLLET_OK);
  std::int64_t duration = 42;
  CHECK(elapsed(timed, unrecorded, &duration) == COLLET_ERROR_NOT_RECORDED);
  CHECK(last_report().message.find("end event was never recorded") != std::string::npos);
  CHECK(elapsed(unrecorded, timed, &duration) == COLLET_ERROR_NOT_RECORDED);
  CHECK(elapsed(timed, plain, &duration) == COLLET_ERROR_NOT_RECORDED);
  CHECK(last_report().message.find("COLLET_EVENT_TIMING") != std::string::npos);
  CHECK(elapsed(pending, plain, &duration) == COLLET_ERROR_NOT_RECORDED);
  CHECK(elapsed(timed, pending, &duration) == COLLET_NOT_READY);
  CHECK(elapsed(pending, timed, &duration) == COLLET_NOT_READY);
  CHECK(duration == 42);
}

}  // namespace
}  // namespace collet::test
