// SPDX-License-Identifier: Apache-2.0
/** Queries, waits and time-outs of streams, and their end. */
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t kShort = 20'000'000;
constexpr std::size_t kSize = 1000;

/** The call must answer TIMEOUT, neither before its time nor much later. */
template <class Call>
void expect_timeout(std::uint64_t timeout_ns, std::string_view what, Call&& wait,
                    Place place = Place::here()) {
  const auto start = steady_clock::now();
  expect_status(wait(), COLLET_ERROR_TIMEOUT, what, place);
  const auto taken = std::chrono::nanoseconds(steady_clock::now() - start);
  expect(taken >= std::chrono::nanoseconds(timeout_ns),
         std::string(what) + " ended before its time-out", place);
  expect(taken < std::chrono::nanoseconds(timeout_ns) + patience(),
         std::string(what) + " went on long after its time-out", place);
}

}  // namespace

CONFORMANCE_CASE("PLUG-STR-2 a query is NOT_READY while a command is incomplete",
                 clauses("PLUG-STR-2"), kMandatory,
                 does("Asks before, behind and after a gate, with commands on either side.")) {
  Device& device = test.device();
  const Memory memory(device, 64);
  const Stream stream(device);
  expect_ok(stream.query(), "query of a new stream");
  for (int before = 0; before < 3; ++before) {
    for (int after = 0; after < 3; ++after) {
      const std::uint8_t pattern = 1;
      for (int i = 0; i < before; ++i) expect_ok(stream.fill(memory, 0, 64, &pattern, 1), "fill");
      Gate gate(stream);
      for (int i = 0; i < after; ++i) expect_ok(stream.fill(memory, 0, 64, &pattern, 1), "fill");
      expect_status(stream.query(), COLLET_NOT_READY, "query before a shut gate");
      gate.wait_until_reached();
      for (int i = 0; i < 100; ++i) {
        expect_status(stream.query(), COLLET_NOT_READY, "query at a shut gate");
      }
      gate.open();
      stream.finish();
      expect_ok(stream.query(), "query after synchronize");
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-2 a query becomes OK without a wait", clauses("PLUG-STR-2"), kMandatory,
                 does("Enqueues commands and asks until the answer is OK.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Stream stream(device);
  const std::uint8_t pattern = 9;
  for (int i = 0; i < 50; ++i) {
    expect_ok(stream.fill(memory, 0, kSize, &pattern, 1), "fill");
    const auto deadline = steady_clock::now() + patience();
    while (stream.query() == COLLET_NOT_READY) {
      expect(steady_clock::now() < deadline, "the query never became OK");
    }
    expect_ok(stream.query(), "query");
  }
}

CONFORMANCE_CASE("PLUG-STR-3 synchronize is not OK before the last command is complete",
                 clauses("PLUG-STR-3"), kMandatory,
                 does("Waits, with time-outs, for streams whose last command is a shut gate.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Stream stream(device);
  const std::uint8_t pattern = 3;
  for (int before = 0; before < 4; ++before) {
    for (int i = 0; i < before; ++i) expect_ok(stream.fill(memory, 0, kSize, &pattern, 1), "fill");
    Gate gate(stream);
    expect_status(stream.synchronize(0), COLLET_ERROR_TIMEOUT, "synchronize at a shut gate");
    gate.wait_until_reached();
    expect_status(stream.synchronize(kShort), COLLET_ERROR_TIMEOUT, "synchronize at a shut gate");
    gate.open();
    stream.finish();
  }
}

CONFORMANCE_CASE("PLUG-STR-3 what was enqueued before synchronize has taken effect after it",
                 clauses("PLUG-STR-3"), kMandatory,
                 does("Counts host functions that have ended when synchronize returns.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Stream stream(device, sort);
    std::atomic<int> ended{0};
    for (int round = 1; round <= 200; ++round) {
      for (int i = 0; i < 5; ++i) stream.then([&](collet_status_t) { ++ended; });
      stream.finish();
      expect(ended.load() == 5 * round,
             "synchronize returned after " + std::to_string(ended.load() % 5) + " of 5 commands");
    }
  }
}

CONFORMANCE_CASE(
    "PLUG-STR-4 waits end at their time-out, and nothing is lost", clauses("PLUG-STR-4"),
    kMandatory, does("Lets waits for a gated stream and its event run out, then opens the gate.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Stream stream(device);
  const Event event(device);
  const std::uint8_t pattern = 0x42;
  for (const std::uint64_t timeout : {std::uint64_t{0}, std::uint64_t{1}, kShort}) {
    stream.upload(memory, Bytes(kSize, 0));
    Gate gate(stream);
    expect_ok(stream.fill(memory, 0, kSize, &pattern, 1), "fill");
    stream.record(event);
    expect_timeout(timeout, "synchronize of a stream", [&] { return stream.synchronize(timeout); });
    expect_timeout(timeout, "synchronize of an event", [&] { return event.synchronize(timeout); });
    gate.open();
    stream.finish();
    expect_ok(event.synchronize(), "synchronize of an event");
    expect_bytes(stream.download(memory), Bytes(kSize, pattern), "a fill after waits ran out");
  }
}

CONFORMANCE_CASE("PLUG-STR-4 a blocking copy that runs out is not enqueued", clauses("PLUG-STR-4"),
                 kMandatory,
                 does("Reads and writes behind a shut gate with a time-out; afterwards neither "
                      "side has changed.")) {
  Device& device = test.device();
  const Bytes held = payload(kSize, 1);
  const Memory memory(device, kSize);
  const Stream stream(device);
  for (const std::uint64_t timeout : {std::uint64_t{1}, kShort}) {
    stream.upload(memory, held);
    Bytes source = payload(kSize, 2);
    Bytes destination = complement(held);
    const Bytes untouched = destination;
    Gate gate(stream);
    expect_timeout(timeout, "write",
                   [&] { return stream.write(memory, 0, source.data(), kSize, 0, timeout); });
    expect_timeout(timeout, "read",
                   [&] { return stream.read(destination.data(), memory, 0, kSize, 0, timeout); });
    gate.open();
    stream.finish();
    expect_bytes(destination, untouched, "host memory of a read that ran out");
    expect_bytes(stream.download(memory), held, "device memory of a write that ran out");
  }
}

CONFORMANCE_CASE("PLUG-STR-5 destroying a stream does not wait for its work, and drops none",
                 clauses("PLUG-STR-5"), kMandatory,
                 does("Destroys a gated stream; its copy, host function and event take effect "
                      "when the gate is opened.")) {
  Device& device = test.device();
  const Bytes sent = payload(kSize, 5);
  const Memory src(device, kSize);
  const Memory dst(device, kSize);
  const Stream other(device);
  other.upload(src, sent);
  for (int round = 0; round < 5; ++round) {
    other.upload(dst, complement(sent));
    const Event event(device);
    // Kept alive by the function, in case that it runs too late.
    const auto has_run = std::make_shared<std::atomic<bool>>(false);
    Stream stream(device);
    Gate gate(stream);
    expect_ok(stream.copy(dst, 0, src, 0, kSize), "copy");
    stream.then([has_run](collet_status_t) { has_run->store(true); });
    stream.record(event);
    if (round % 2 == 0) gate.wait_until_reached();
    collet_plugin_stream_t* const handle = stream.release();
    expect_return([&] { device.stream().destroy(handle); },
                  "destroy waited for a command behind a shut gate");
    expect_status(event.query(), COLLET_NOT_READY, "query of an event of the destroyed stream");
    gate.open();
    expect_ok(event.synchronize(), "waiting for an event of the destroyed stream");
    expect(has_run->load(), "a host function of the destroyed stream did not run");
    expect_bytes(other.download(dst), sent, "a copy of the destroyed stream");
  }
}

CONFORMANCE_CASE("PLUG-STR-6 a stream that waits holds none of a hundred others",
                 clauses("PLUG-STR-6"), kMandatory,
                 does("Shuts a gate in one stream and computes in a hundred.")) {
  Device& device = test.device();
  constexpr std::size_t kStreams = 100;
  std::vector<Memory> memories;
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < kStreams; ++i) {
    memories.emplace_back(device, kSize);
    streams.emplace_back(device);
  }
  for (const std::size_t gated : {std::size_t{0}, kStreams / 2, kStreams - 1}) {
    const Gate gate(streams[gated]);
    gate.wait_until_reached();
    for (std::size_t i = 0; i < kStreams; ++i) {
      if (i == gated) continue;
      const auto value = static_cast<std::uint8_t>(i + gated);
      expect_ok(streams[i].fill(memories[i], 0, kSize, &value, 1), "fill");
    }
    for (std::size_t i = 0; i < kStreams; ++i) {
      if (i == gated) continue;
      expect_ok(streams[i].synchronize(),
                "stream " + std::to_string(i) + " while another one stands at a gate");
      const auto value = static_cast<std::uint8_t>(i + gated);
      expect_bytes(streams[i].download(memories[i]), Bytes(kSize, value), "a fill");
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-6 a stream that waits for an event holds no other one",
                 clauses("PLUG-STR-6"), kMandatory,
                 does("Ten streams wait for the event of a gated one; an eleventh computes.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Stream first(device);
  const Event event(device);
  std::vector<Stream> waiting;
  waiting.reserve(10);
  for (int i = 0; i < 10; ++i) waiting.emplace_back(device);
  const Stream free(device);
  const Gate gate(first);
  first.record(event);
  for (const Stream& stream : waiting) {
    expect_ok(stream.wait(event), "wait_event");
    stream.then([](collet_status_t) {});
  }
  const Bytes sent = payload(kSize, 8);
  free.upload(memory, sent);
  expect_bytes(free.download(memory), sent, "what a free stream copied");
  for (const Stream& stream : waiting) {
    expect_status(stream.query(), COLLET_NOT_READY, "query of a stream that waits");
  }
}

}  // namespace collet::conformance
