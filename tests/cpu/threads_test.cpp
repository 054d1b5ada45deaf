// SPDX-License-Identifier: Apache-2.0
//
// Streams and events that several threads use at once.
#include <array>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/in_threads.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

void count(void* counter, collet_status_t) { ++*static_cast<std::atomic<int>*>(counter); }

/** What commands of one stream must never see: another one between their steps. */
struct Exclusive {
  std::atomic<int> inside{0};
  std::atomic<int> collisions{0};
  int calls = 0;  // no atomic: the stream orders its commands
};
void step(void* data, collet_status_t) {
  auto* exclusive = static_cast<Exclusive*>(data);
  if (exclusive->inside.fetch_add(1) != 0) ++exclusive->collisions;
  ++exclusive->calls;
  exclusive->inside.fetch_sub(1);
}

TEST_CASE("PLUG-STR-1 threads that enqueue on one stream are serialized") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Stream stream(flags);
  Exclusive exclusive;
  std::atomic<int> failures{0};
  in_threads(4, [&](int) {
    for (int i = 0; i < 500; ++i) {
      if (stream.call(step, &exclusive) != COLLET_OK) ++failures;
      if (i % 16 == 0 && stream.synchronize() != COLLET_OK) ++failures;
    }
  });
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(failures == 0);
  CHECK(exclusive.collisions == 0);
  CHECK(exclusive.calls == 2000);
}

TEST_CASE("PLUG-STR-1 each thread's own commands stay in order") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Stream stream(flags);
  constexpr int kThreads = 3;
  constexpr std::uint32_t kRounds = 300;
  std::vector<std::unique_ptr<Memory>> memories;
  memories.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) memories.push_back(std::make_unique<Memory>(4));
  std::atomic<int> failures{0};
  in_threads(kThreads, [&](int t) {
    const Memory& memory = *memories[static_cast<std::size_t>(t)];
    for (std::uint32_t i = 0; i < kRounds; ++i) {
      std::uint32_t seen = 0;
      const bool is_ok = plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), 4,
                                               &i, 4) == COLLET_OK &&
                         plugin().stream->read(stream.handle(), &seen, memory.handle(),
                                               Memory::begin(), 4, 0, UINT64_MAX) == COLLET_OK;
      if (!is_ok || seen != i) ++failures;
    }
  });
  CHECK(failures == 0);
}

TEST_CASE("STR several threads wait for one stream") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  std::atomic<int> failures{0};
  in_threads(4, [&](int t) {
    for (int i = 0; i < 300; ++i) {
      if (stream.call(count, &calls) != COLLET_OK) ++failures;
      // Helping waiters and such with a time-out, mixed.
      const std::uint64_t timeout = t % 2 == 0 ? UINT64_MAX : 10'000'000'000;
      if (stream.synchronize(timeout) != COLLET_OK) ++failures;
    }
  });
  CHECK(failures == 0);
  CHECK(calls == 1200);
}

TEST_CASE("EVT one event is recorded, queried and waited for by several threads") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Event event(COLLET_EVENT_TIMING);
  std::atomic<int> failures{0};
  in_threads(4, [&](int t) {
    const Stream stream(flags);
    for (int i = 0; i < 300; ++i) {
      if (t < 2) {
        if (event.record(stream) != COLLET_OK) ++failures;
        if (event.hold(stream) != COLLET_OK) ++failures;
      } else {
        const collet_status_t status = event.query();
        if (status != COLLET_OK && status != COLLET_NOT_READY) ++failures;
        if (event.synchronize() != COLLET_OK) ++failures;
      }
    }
    if (stream.synchronize() != COLLET_OK) ++failures;
  });
  CHECK(failures == 0);
}

TEST_CASE("STR streams that wait for each other in turn make progress") {
  // A ring: each stream waits for what its neighbour has done last, a thousand times.
  constexpr std::size_t kStreams = 8;
  std::vector<std::unique_ptr<Stream>> streams;
  for (std::size_t i = 0; i < kStreams; ++i) {
    streams.push_back(std::make_unique<Stream>(i % 3 == 0 ? 0 : COLLET_STREAM_BACKGROUND));
  }
  const Memory memory(4, 0);
  int order = 0;
  const auto advance = [](void* number, collet_status_t) { ++*static_cast<int*>(number); };
  for (int round = 0; round < 1000; ++round) {
    const std::size_t at = static_cast<std::size_t>(round) % kStreams;
    const Event event;
    REQUIRE(streams[at]->call(advance, &order) == COLLET_OK);
    REQUIRE(event.record(*streams[at]) == COLLET_OK);
    REQUIRE(event.hold(*streams[(at + 1) % kStreams]) == COLLET_OK);
  }
  for (const auto& stream : streams) REQUIRE(stream->synchronize() == COLLET_OK);
  CHECK(order == 1000);
}

TEST_CASE("STR a waiter that helps a stream which waits for another is not stuck") {
  const Stream first(COLLET_STREAM_BACKGROUND);
  const Stream second(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  Gate gate;
  const Event event;
  gate.shut(second);
  gate.wait_until_reached();
  REQUIRE(second.call(count, &calls) == COLLET_OK);
  REQUIRE(event.record(second) == COLLET_OK);
  REQUIRE(event.hold(first) == COLLET_OK);
  REQUIRE(first.call(count, &calls) == COLLET_OK);
  std::thread waiter([&] {
    if (first.synchronize() == COLLET_OK) calls += 10;
  });
  CHECK(calls == 0);
  gate.open();
  waiter.join();
  CHECK(calls == 12);
}

TEST_CASE("STR streams come and go while others work") {
  std::atomic<int> failures{0};
  std::atomic<int> calls{0};
  in_threads(4, [&](int t) {
    std::vector<std::unique_ptr<Event>> events;
    events.reserve(50);
    for (int i = 0; i < 50; ++i) {
      const Stream stream(t % 2 == 0 ? COLLET_STREAM_BACKGROUND : 0);
      events.push_back(std::make_unique<Event>());
      if (stream.call(count, &calls) != COLLET_OK) ++failures;
      if (events.back()->record(stream) != COLLET_OK) ++failures;
      if (i % 2 == 0 && events.back()->synchronize() != COLLET_OK) ++failures;
    }
    for (const auto& event : events) {
      if (event->synchronize() != COLLET_OK) ++failures;
    }
  });
  CHECK(failures == 0);
  CHECK(calls == 200);
}

TEST_CASE("STR copies of several threads share the workers") {
  constexpr std::size_t kBytes = std::size_t{5} << 20;
  std::atomic<int> failures{0};
  in_threads(3, [&](int t) {
    const Stream stream(t == 0 ? 0 : COLLET_STREAM_BACKGROUND);
    const auto value = static_cast<unsigned char>(t + 1);
    const Memory from(kBytes, value);
    const Memory to(kBytes, 0);
    for (int i = 0; i < 5; ++i) {
      if (plugin().stream->copy(stream.handle(), to.handle(), Memory::begin(), from.handle(),
                                Memory::begin(), kBytes) != COLLET_OK) {
        ++failures;
      }
    }
    if (stream.synchronize() != COLLET_OK) ++failures;
    if (std::memcmp(to.data(), from.data(), kBytes) != 0 || !to.has_canaries()) ++failures;
  });
  CHECK(failures == 0);
}

}  // namespace
}  // namespace collet::test
