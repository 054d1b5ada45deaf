// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

void count(void* counter, collet_status_t) { ++*static_cast<std::atomic<int>*>(counter); }

/** Appends its number to a list; commands of one stream need no lock for that. */
struct Entry {
  std::vector<int>* list;
  int number;
};
void append(void* data, collet_status_t) {
  const auto* entry = static_cast<Entry*>(data);
  entry->list->push_back(entry->number);
}

TEST_CASE("PLUG-STR-1 commands take effect in the order of their enqueueing") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Stream stream(flags);
  std::vector<int> list;
  std::vector<Entry> entries;
  entries.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    entries.push_back({&list, i});
    REQUIRE(stream.call(append, &entries.back()) == COLLET_OK);
  }
  REQUIRE(stream.synchronize() == COLLET_OK);
  REQUIRE(list.size() == 1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(list[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("PLUG-STR-2 a query says NOT_READY while a command is incomplete") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  CHECK(stream.query() == COLLET_OK);
  Gate gate;
  gate.shut(stream);
  CHECK(stream.query() == COLLET_NOT_READY);
  gate.wait_until_reached();
  CHECK(stream.query() == COLLET_NOT_READY);
  gate.open();
  CHECK(stream.synchronize() == COLLET_OK);
  CHECK(stream.query() == COLLET_OK);
}

TEST_CASE("PLUG-STR-2 a query sees a command that another thread runs inline") {
  const Stream stream;
  Gate gate;
  std::thread other([&] { gate.shut(stream); });
  gate.wait_until_reached();
  CHECK(stream.query() == COLLET_NOT_READY);
  CHECK(stream.synchronize(0) == COLLET_ERROR_TIMEOUT);
  CHECK(stream.synchronize(kMillisecond) == COLLET_ERROR_TIMEOUT);
  gate.open();
  other.join();
  CHECK(stream.query() == COLLET_OK);
}

TEST_CASE("PLUG-STR-3 synchronize waits for what was enqueued before it, not for later commands") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  Gate first;
  Gate second;
  first.shut(stream);
  first.wait_until_reached();
  std::atomic<bool> is_back{false};
  std::thread waiter([&] {
    if (stream.synchronize() == COLLET_OK) is_back = true;
  });
  CHECK_FALSE(is_back);
  first.open();
  waiter.join();
  CHECK(is_back);
  second.shut(stream);
  CHECK(stream.synchronize(0) == COLLET_ERROR_TIMEOUT);
  second.open();
  CHECK(stream.synchronize() == COLLET_OK);
}

TEST_CASE("PLUG-STR-4 a wait that times out loses nothing") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  Gate gate;
  gate.shut(stream);
  REQUIRE(stream.call(count, &calls) == COLLET_OK);
  for (const std::uint64_t timeout : {std::uint64_t{0}, kMillisecond, 3 * kMillisecond}) {
    CHECK(stream.synchronize(timeout) == COLLET_ERROR_TIMEOUT);
    CHECK(last_report().status == COLLET_ERROR_TIMEOUT);
  }
  CHECK(calls == 0);
  gate.open();
  CHECK(stream.synchronize(UINT64_MAX - 1) == COLLET_OK);
  CHECK(calls == 1);
}

TEST_CASE("PLUG-STR-4 a blocking copy that times out touches nothing, then or later") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Memory memory(64, 1);
  std::array<unsigned char, 64> host{};
  host.fill(2);
  Gate gate;
  gate.shut(stream);
  for (const std::uint64_t timeout : {std::uint64_t{0}, kMillisecond}) {
    CHECK(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 64,
                                 0, timeout) == COLLET_ERROR_TIMEOUT);
    CHECK(plugin().stream->read(stream.handle(), host.data(), memory.handle(), Memory::begin(), 64,
                                0, timeout) == COLLET_ERROR_TIMEOUT);
  }
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(64, 1));
  CHECK(host[0] == 2);
  CHECK(host[63] == 2);
}

TEST_CASE("PLUG-STR-4 a blocking copy behind an inline command of another thread can time out") {
  const Stream stream;
  const Memory memory(8, 1);
  const std::array<unsigned char, 8> host{};
  Gate gate;
  std::thread other([&] { gate.shut(stream); });
  gate.wait_until_reached();
  CHECK(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 8, 0,
                               kMillisecond) == COLLET_ERROR_TIMEOUT);
  gate.open();
  other.join();
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 1));
  CHECK(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 8, 0,
                               kMillisecond) == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 0));
}

TEST_CASE("PLUG-STR-4 a copy that has nothing to wait for needs no time") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Stream stream(flags);
  const Memory memory(8);
  for (unsigned char i = 0; i < 200; ++i) {
    const std::array<unsigned char, 8> in = {i, 1, 2, 3, 4, 5, 6, i};
    std::array<unsigned char, 8> out{};
    REQUIRE(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), in.data(), 8,
                                   0, 0) == COLLET_OK);
    REQUIRE(plugin().stream->read(stream.handle(), out.data(), memory.handle(), Memory::begin(), 8,
                                  0, 0) == COLLET_OK);
    REQUIRE(in == out);
  }
}

TEST_CASE("PLUG-STR-5 destroying a stream drops no work and does not wait for it") {
  std::atomic<int> calls{0};
  const Event event;
  Gate gate;
  {
    Stream stream(COLLET_STREAM_BACKGROUND);
    gate.shut(stream);
    for (int i = 0; i < 10; ++i) REQUIRE(stream.call(count, &calls) == COLLET_OK);
    REQUIRE(event.record(stream) == COLLET_OK);
    stream.destroy();
  }
  CHECK(calls == 0);
  CHECK(event.query() == COLLET_NOT_READY);
  gate.open();
  CHECK(event.synchronize() == COLLET_OK);
  CHECK(calls == 10);
}

TEST_CASE("PLUG-STR-5 a hundred streams are destroyed with work in them") {
  std::atomic<int> calls{0};
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 100; ++i) {
    const Stream stream(COLLET_STREAM_BACKGROUND);
    events.push_back(std::make_unique<Event>());
    REQUIRE(stream.call(count, &calls) == COLLET_OK);
    REQUIRE(events.back()->record(stream) == COLLET_OK);
  }
  for (const auto& event : events) REQUIRE(event->synchronize() == COLLET_OK);
  CHECK(calls == 100);
}

TEST_CASE("PLUG-STR-6 a hundred streams stand still, and one more works") {
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Gate>> gates;
  for (int i = 0; i < 100; ++i) {
    streams.push_back(std::make_unique<Stream>(COLLET_STREAM_BACKGROUND));
    gates.push_back(std::make_unique<Gate>());
    gates.back()->shut(*streams.back());
  }
  std::atomic<int> calls{0};
  const Stream free_one(COLLET_STREAM_BACKGROUND);
  REQUIRE(free_one.call(count, &calls) == COLLET_OK);
  CHECK(free_one.synchronize() == COLLET_OK);
  CHECK(calls == 1);
  CHECK(streams.front()->query() == COLLET_NOT_READY);
}

TEST_CASE("PLUG-STR-13 a blocking copy waits for what is enqueued before it") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Memory memory(16, 0);
  const unsigned char pattern = 9;
  Gate gate;
  gate.shut(stream);
  REQUIRE(plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), 16, &pattern,
                                1) == COLLET_OK);
  std::thread opener([&] {
    gate.wait_until_reached();
    gate.open();
  });
  std::array<unsigned char, 16> out{};
  CHECK(plugin().stream->read(stream.handle(), out.data(), memory.handle(), Memory::begin(), 16, 0,
                              UINT64_MAX) == COLLET_OK);
  CHECK(out[0] == 9);
  CHECK(out[15] == 9);
  opener.join();
}

TEST_CASE("PLUG-STR-14 a non-blocking copy reads its source when its turn comes") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Memory memory(8, 0);
  std::array<unsigned char, 8> pinned{};
  Gate gate;
  gate.shut(stream);
  REQUIRE(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), pinned.data(),
                                 8, COLLET_TRANSFER_NON_BLOCKING, 0) == COLLET_OK);
  pinned.fill(5);
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 5));
}

TEST_CASE("STR a thread that waits without a time-out runs the commands itself") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  for (int round = 0; round < 2000; ++round) {
    REQUIRE(stream.call(count, &calls) == COLLET_OK);
    REQUIRE(stream.synchronize() == COLLET_OK);
    REQUIRE(calls == round + 1);
  }
}

TEST_CASE("STR commands run that nobody waits for, also where a thread used to wait for each") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  for (int round = 1; round <= 50; ++round) {
    for (int i = 0; i < 20; ++i) {
      REQUIRE(stream.call(count, &calls) == COLLET_OK);
      REQUIRE(stream.synchronize() == COLLET_OK);
    }
    REQUIRE(stream.call(count, &calls) == COLLET_OK);
    while (stream.query() == COLLET_NOT_READY) std::this_thread::yield();
    REQUIRE(calls == 21 * round);
  }
}

TEST_CASE("STR a queue takes whatever is enqueued, and then the next commands") {
  constexpr int kMany = 20'000;
  const Stream stream(COLLET_STREAM_BACKGROUND);
  std::atomic<int> calls{0};
  for (int round = 1; round <= 3; ++round) {
    Gate gate;
    gate.shut(stream);
    for (int i = 0; i < kMany; ++i) REQUIRE(stream.call(count, &calls) == COLLET_OK);
    CHECK(calls == (round - 1) * kMany);
    gate.open();
    REQUIRE(stream.synchronize() == COLLET_OK);
    CHECK(calls == round * kMany);
  }
}

}  // namespace
}  // namespace collet::test
