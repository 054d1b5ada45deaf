// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr int kMany = 100;

void count(void* counter, collet_status_t) { ++*static_cast<std::atomic<int>*>(counter); }

struct Entry {
  std::vector<int>* list;
  int number;
};
void append(void* data, collet_status_t) {
  const auto* entry = static_cast<Entry*>(data);
  entry->list->push_back(entry->number);
}

collet_status_t fill(const Stream& stream, const Memory& memory, unsigned char value,
                     std::uint64_t size_bytes) {
  return plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), size_bytes,
                               &value, 1);
}

TEST_CASE("PLUG-STR-1 commands of all kinds take effect in the order of their enqueueing") {
  const Stream stream;
  const Memory memory(4);
  std::vector<int> list;
  std::vector<Entry> entries;
  entries.reserve(kMany);
  for (int i = 0; i < kMany; ++i) {
    entries.push_back({&list, i});
    const auto value = static_cast<unsigned char>(i);
    REQUIRE(stream.call(append, &entries.back()) == COLLET_OK);
    REQUIRE(fill(stream, memory, value, 4) == COLLET_OK);
    std::array<unsigned char, 4> seen{};
    REQUIRE(plugin().stream->read(stream.handle(), seen.data(), memory.handle(), Memory::begin(), 4,
                                  0, UINT64_MAX) == COLLET_OK);
    REQUIRE(seen == std::array{value, value, value, value});
  }
  REQUIRE(stream.synchronize() == COLLET_OK);
  REQUIRE(list.size() == kMany);
  for (int i = 0; i < kMany; ++i) CHECK(list[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("PLUG-STR-2 streams work in the background, whatever their flags say") {
  const Stream stream(GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND}));
  std::atomic<int> calls{0};
  Gate gate;
  gate.shut(stream);
  REQUIRE(stream.call(count, &calls) == COLLET_OK);
  CHECK(stream.query() == COLLET_NOT_READY);
  CHECK(stream.synchronize(0) == COLLET_ERROR_TIMEOUT);
  CHECK(stream.synchronize(kMillisecond) == COLLET_ERROR_TIMEOUT);
  CHECK(calls == 0);
  gate.open();
  CHECK(stream.synchronize() == COLLET_OK);
  CHECK(stream.query() == COLLET_OK);
  CHECK(calls == 1);
}

TEST_CASE("PLUG-STR-4 a blocking copy that times out touches nothing, then or later") {
  const Stream stream;
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
  CHECK(host.front() == 2);
  CHECK(host.back() == 2);
}

TEST_CASE("PLUG-STR-4 a wait behind a copy that is taken back ends with the commands before it") {
  const Stream stream;
  const Memory memory(8);
  const std::array<unsigned char, 8> host{};
  std::atomic<bool> is_done{false};
  Gate gate;
  gate.shut(stream);
  std::thread copier([&] {
    const collet_status_t status = plugin().stream->write(
        stream.handle(), memory.handle(), Memory::begin(), host.data(), 8, 0, 5 * kMillisecond);
    is_done = status == COLLET_ERROR_TIMEOUT;
  });
  copier.join();
  CHECK(is_done);
  CHECK(stream.query() == COLLET_NOT_READY);
  gate.open();
  CHECK(stream.synchronize() == COLLET_OK);
  CHECK(stream.query() == COLLET_OK);
}

TEST_CASE("PLUG-STR-5 destroying a stream drops no work and does not wait for it") {
  std::atomic<int> calls{0};
  const Event event;
  Gate gate;
  {
    Stream stream;
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

TEST_CASE("PLUG-STR-6 a hundred streams stand before gates, and one more works") {
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Gate>> gates;
  std::atomic<int> calls{0};
  for (int i = 0; i < kMany; ++i) {
    streams.push_back(std::make_unique<Stream>());
    gates.push_back(std::make_unique<Gate>());
    gates.back()->shut(*streams.back());
    REQUIRE(streams.back()->call(count, &calls) == COLLET_OK);
  }
  for (const auto& gate : gates) gate->wait_until_reached();
  const Memory memory(16, 0);
  const Stream free_one;
  REQUIRE(fill(free_one, memory, 9, 16) == COLLET_OK);
  REQUIRE(free_one.call(count, &calls) == COLLET_OK);
  CHECK(free_one.synchronize() == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(16, 9));
  CHECK(calls == 1);
  for (int i = kMany - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(streams[at]->query() == COLLET_NOT_READY);
    gates[at]->open();
    CHECK(streams[at]->synchronize() == COLLET_OK);
  }
  CHECK(calls == kMany + 1);
}

TEST_CASE("PLUG-STR-6 a hundred streams wait for the event of one, and others work") {
  const Stream source;
  const Event event;
  Gate gate;
  gate.shut(source);
  REQUIRE(event.record(source) == COLLET_OK);
  std::atomic<int> calls{0};
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kMany; ++i) {
    streams.push_back(std::make_unique<Stream>());
    REQUIRE(event.hold(*streams.back()) == COLLET_OK);
    REQUIRE(streams.back()->call(count, &calls) == COLLET_OK);
  }
  const Stream free_one;
  REQUIRE(free_one.call(count, &calls) == COLLET_OK);
  CHECK(free_one.synchronize() == COLLET_OK);
  CHECK(calls == 1);
  gate.open();
  for (const auto& stream : streams) CHECK(stream->synchronize() == COLLET_OK);
  CHECK(calls == kMany + 1);
}

TEST_CASE("PLUG-STR-14 a non-blocking copy reads pinned memory when its turn comes") {
  const Stream stream;
  const Memory memory(8, 0);
  std::array<unsigned char, 8> host{};
  collet_plugin_memory_t* pinned = nullptr;
  REQUIRE(plugin().memory->register_host(plugin().device, host.data(), 8, &pinned) == COLLET_OK);
  Gate gate;
  gate.shut(stream);
  REQUIRE(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 8,
                                 COLLET_TRANSFER_NON_BLOCKING, 0) == COLLET_OK);
  host.fill(5);
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 5));
  plugin().memory->free(pinned);
}

TEST_CASE("STR a non-blocking copy of memory that is not pinned is refused") {
  const Stream stream;
  const Memory memory(8, 1);
  std::array<unsigned char, 8> host{};
  CHECK(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 8,
                               COLLET_TRANSFER_NON_BLOCKING, 0) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(last_report().message.find("sim:0") != std::string::npos);
  CHECK(plugin().stream->read(stream.handle(), host.data(), memory.handle(), Memory::begin(), 8,
                              COLLET_TRANSFER_NON_BLOCKING, 0) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(stream.query() == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 1));
}

TEST_CASE("STR a released stream's handle is the next one's, where COLLET_SIM_FAULTS says so") {
  host_options()["faults"] = "stream:reuse";
  const Stream other;
  Stream first;
  const collet_plugin_stream_t* const handle = first.handle();
  first.destroy();
  // What the program allocates meanwhile does not get its memory.
  std::vector<std::vector<char>> taken;
  for (std::size_t size = 16; size < 4096; size += 8) taken.emplace_back(size);
  const Stream second;
  CHECK(second.handle() == handle);
  CHECK(second.synchronize() == COLLET_OK);
}

TEST_CASE("STR several threads use several streams at once") {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  const Stream shared;
  const Event event(COLLET_EVENT_TIMING);
  std::atomic<int> calls{0};
  std::atomic<int> failures{0};
  const auto check = [&](collet_status_t status) {
    if (status != COLLET_OK) ++failures;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        const Stream own;
        check(own.call(count, &calls));
        check(event.record(own));
        check(event.hold(shared));
        check(shared.call(count, &calls));
        if (i % 8 == 0) check(shared.synchronize());
        check(event.synchronize());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(shared.synchronize() == COLLET_OK);
  CHECK(failures == 0);
  CHECK(event.synchronize() == COLLET_OK);
}

}  // namespace
}  // namespace collet::test
