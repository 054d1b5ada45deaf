// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kSize = 256;
constexpr std::uint64_t kShort = 20'000'000;

/** Writes one byte value over a memory, in stream order. */
void set(const Stream& stream, const Memory& memory, std::uint8_t value) {
  expect_ok(stream.fill(memory, 0, memory.size(), &value, 1), "fill");
}

/** A host function that takes a while, without sleeping. */
void enqueue_work(const Stream& stream, std::chrono::nanoseconds time) {
  stream.then([time](collet_status_t) {
    const auto end = steady_clock::now() + time;
    while (steady_clock::now() < end) {
    }
  });
}

}  // namespace

CONFORMANCE_CASE("PLUG-EVT-1 an event that was never recorded is complete and holds nobody",
                 clauses("PLUG-EVT-1"), kMandatory,
                 does("Asks it, waits for it on the host and in a stream, and for its time.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  for (const std::uint32_t flags : {0U, static_cast<std::uint32_t>(COLLET_EVENT_TIMING)}) {
    const Event event(device, flags);
    const Event other(device, flags);
    const Stream stream(device);
    expect_ok(event.query(), "query");
    expect_ok(event.synchronize(0), "synchronize");
    expect_ok(stream.wait(event), "wait_event");
    const Bytes sent = payload(kSize, 1);
    stream.upload(memory, sent);
    expect_bytes(stream.download(memory), sent, "what the stream copied");
    std::int64_t duration = 0;
    expect_status(event.elapsed(other, duration), COLLET_ERROR_NOT_RECORDED, "elapsed");
  }
}

CONFORMANCE_CASE("PLUG-EVT-2 an event is complete when the commands before it are, and not before",
                 clauses("PLUG-EVT-2"), kMandatory,
                 does("Records on a gated stream, behind and in front of the gate.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Stream stream(device);
  const Event before(device);
  const Event after(device);
  for (int round = 0; round < 5; ++round) {
    set(stream, memory, 1);
    stream.record(before);
    Gate gate(stream);
    set(stream, memory, 2);
    stream.record(after);
    expect_status(after.query(), COLLET_NOT_READY, "query of an event behind a shut gate");
    expect_status(after.synchronize(0), COLLET_ERROR_TIMEOUT, "synchronize behind a shut gate");
    gate.wait_until_reached();
    expect_ok(before.query(), "query of an event before the gate");
    expect_ok(before.synchronize(), "synchronize of an event before the gate");
    for (int i = 0; i < 100; ++i) {
      expect_status(after.query(), COLLET_NOT_READY, "query of an event behind a shut gate");
    }
    gate.open();
    expect_ok(after.synchronize(), "synchronize of an event after the gate");
    expect_ok(after.query(), "query of an event after the gate");
    stream.finish();
  }
}

CONFORMANCE_CASE("PLUG-EVT-2 work before a complete event has taken effect", clauses("PLUG-EVT-2"),
                 kMandatory, does("Waits for the event, and reads by another stream.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Memory memory(device, 1 << 16);
    const Stream stream(device, sort);
    const Stream other(device);
    const Event event(device);
    for (std::uint8_t round = 1; round < 50; ++round) {
      set(stream, memory, round);
      stream.record(event);
      expect_ok(event.synchronize(), "synchronize");
      expect_bytes(other.download(memory), Bytes(memory.size(), round),
                   "memory after the event behind a fill");
    }
  }
}

CONFORMANCE_CASE("PLUG-EVT-3 a wait holds the commands behind it until the event is complete",
                 clauses("PLUG-EVT-3"), kMandatory,
                 does("A consumer waits for a gated producer, and copies what it has made.")) {
  Device& device = test.device();
  const Memory made(device, kSize);
  const Memory taken(device, kSize);
  const Stream producer(device);
  const Stream consumer(device);
  const Event event(device);
  for (std::uint8_t round = 1; round < 20; ++round) {
    set(producer, made, 0);
    producer.finish();
    Gate gate(producer);
    set(producer, made, round);
    producer.record(event);
    expect_ok(consumer.wait(event), "wait_event");
    expect_ok(consumer.copy(taken, 0, made, 0, kSize), "copy");
    gate.wait_until_reached();
    expect_status(consumer.synchronize(round == 1 ? kShort : 0), COLLET_ERROR_TIMEOUT,
                  "synchronize of a stream that waits for a gated event");
    expect_status(consumer.query(), COLLET_NOT_READY, "query of a stream that waits");
    gate.open();
    expect_bytes(consumer.download(taken), Bytes(kSize, round), "what the consumer copied");
  }
}

CONFORMANCE_CASE("PLUG-EVT-3 a wait binds to the record made before it, not to a later one",
                 clauses("PLUG-EVT-3"), kMandatory,
                 does("Records the event again, behind a gate, after the wait; the consumer runs "
                      "while the gate is shut.")) {
  Device& device = test.device();
  const Memory value(device, kSize);
  const Memory seen(device, kSize);
  const Stream producer(device);
  const Stream consumer(device);
  const Event event(device);
  for (int round = 0; round < 10; ++round) {
    set(producer, value, 1);
    producer.record(event);
    expect_ok(consumer.wait(event), "wait_event");
    Gate gate(producer);
    set(producer, value, 2);
    producer.record(event);
    expect_ok(consumer.copy(seen, 0, value, 0, kSize), "copy");
    expect_ok(consumer.synchronize(), "a consumer whose record is complete");
    expect_bytes(consumer.download(seen), Bytes(kSize, 1), "what the consumer saw");
    gate.open();
    producer.finish();
  }
}

CONFORMANCE_CASE("PLUG-EVT-3 destroying an event, or recording it anew, frees nobody who waits",
                 clauses("PLUG-EVT-3"), kMandatory,
                 does("Destroys the event of a gated record, or records it on another stream, "
                      "while a consumer waits.")) {
  Device& device = test.device();
  const Memory made(device, kSize);
  const Memory taken(device, kSize);
  for (const bool is_destroyed : {true, false}) {
    const Stream producer(device);
    const Stream consumer(device);
    const Stream idle(device);
    Event event(device);
    set(producer, made, 0);
    producer.finish();
    Gate gate(producer);
    set(producer, made, 7);
    producer.record(event);
    expect_ok(consumer.wait(event), "wait_event");
    expect_ok(consumer.copy(taken, 0, made, 0, kSize), "copy");
    if (is_destroyed) {
      expect_return([&] { event.destroy(); }, "destroying an event waited for its stream");
    } else {
      idle.record(event);
      idle.finish();
    }
    expect_status(consumer.synchronize(kShort), COLLET_ERROR_TIMEOUT,
                  "synchronize of a stream that waits for a gated record");
    gate.open();
    expect_bytes(consumer.download(taken), Bytes(kSize, 7), "what the consumer copied");
  }
}

CONFORMANCE_CASE("PLUG-EVT-4 query and synchronize speak of the latest record",
                 clauses("PLUG-EVT-4"), kMandatory,
                 does("Records a complete event again behind a gate, and a gated one on an idle "
                      "stream.")) {
  Device& device = test.device();
  const Stream gated(device);
  const Stream idle(device);
  const Event event(device);
  for (int round = 0; round < 5; ++round) {
    idle.record(event);
    expect_ok(event.synchronize(), "synchronize of the first record");
    Gate gate(gated);
    gated.record(event);
    expect_status(event.query(), COLLET_NOT_READY, "query of the second record");
    expect_status(event.synchronize(0), COLLET_ERROR_TIMEOUT, "synchronize of the second record");
    idle.record(event);
    expect_ok(event.synchronize(), "synchronize of the third record, on an idle stream");
    expect_ok(event.query(), "query of the third record");
    gate.open();
    gated.finish();
  }
}

CONFORMANCE_CASE("PLUG-EVT-5 an event carries the failure of its stream to whom it makes wait",
                 clauses("PLUG-EVT-5"), needs(Capability::kFailingKernels),
                 does("Records behind a kernel that fails; a host and two streams wait, before "
                      "and after it has failed.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "fail");
  const Memory memory(device, kSize);
  const Stream failing(device);
  const Stream early(device);
  const Stream late(device);
  const Event event(device);
  set(early, memory, 1);
  early.finish();
  {
    const Gate gate(failing);
    expect_ok(Launch().enqueue(failing, kernel), "launch");
    failing.record(event);
    expect_ok(early.wait(event), "wait_event");
    set(early, memory, 2);
  }
  constexpr collet_status_t kFailed = COLLET_ERROR_COMMAND_FAILED;
  expect_status(event.synchronize(), kFailed, "synchronize of the event");
  expect_status(event.query(), kFailed, "query of the event");
  expect_status(early.synchronize(), kFailed, "a stream that waited before the failure");
  // The call itself may report the failure, or the stream afterwards.
  static_cast<void>(late.wait(event));
  expect_status(late.synchronize(), kFailed, "a stream that waited after the failure");
  for (const Stream* const stream : {&failing, &early, &late}) {
    expect_ok(stream->reset(), "reset");
  }
  expect_bytes(early.download(memory), Bytes(kSize, 1), "memory behind a wait that failed");
  early.record(event);
  expect_ok(event.synchronize(), "a new record of the event, on a stream that was reset");
}

CONFORMANCE_CASE("PLUG-EVT-6 elapsed counts nanoseconds, and is negative if swapped",
                 clauses("PLUG-EVT-6"), kMandatory,
                 does("Measures a host function that takes three milliseconds, and compares with "
                      "the host's clock.")) {
  Device& device = test.device();
  constexpr std::chrono::nanoseconds kWork = std::chrono::milliseconds(3);
  const Stream stream(device);
  const Event start(device, COLLET_EVENT_TIMING);
  const Event end(device, COLLET_EVENT_TIMING);
  for (int round = 0; round < 5; ++round) {
    const auto before = steady_clock::now();
    stream.record(start);
    enqueue_work(stream, kWork);
    stream.record(end);
    expect_ok(end.synchronize(), "synchronize");
    const std::chrono::nanoseconds most = steady_clock::now() - before;
    std::int64_t forwards = 0;
    std::int64_t backwards = 0;
    expect_ok(start.elapsed(end, forwards), "elapsed");
    expect_ok(end.elapsed(start, backwards), "elapsed, swapped");
    // Clocks of device and host may differ by a little.
    expect(forwards >= kWork.count() * 9 / 10 && forwards <= most.count() * 11 / 10,
           "elapsed is " + std::to_string(forwards) + " for work of " +
               std::to_string(kWork.count()) + " to " + std::to_string(most.count()) +
               " nanoseconds");
    expect(backwards == -forwards, "elapsed is " + std::to_string(forwards) +
                                       ", and swapped it is " + std::to_string(backwards));
  }
}

CONFORMANCE_CASE("PLUG-EVT-6 elapsed is NOT_READY while an event is incomplete",
                 clauses("PLUG-EVT-6"), kMandatory,
                 does("Asks for the time to an event behind a shut gate, both ways.")) {
  Device& device = test.device();
  const Stream stream(device);
  const Event start(device, COLLET_EVENT_TIMING);
  const Event end(device, COLLET_EVENT_TIMING);
  stream.record(start);
  stream.finish();
  Gate gate(stream);
  stream.record(end);
  std::int64_t duration = 0;
  expect_status(start.elapsed(end, duration), COLLET_NOT_READY, "elapsed to an incomplete event");
  expect_status(end.elapsed(start, duration), COLLET_NOT_READY, "elapsed from an incomplete event");
  gate.open();
  stream.finish();
  expect_ok(start.elapsed(end, duration), "elapsed");
}

CONFORMANCE_CASE("PLUG-EVT-6 elapsed is NOT_RECORDED without a record or without timing",
                 clauses("PLUG-EVT-6"), kMandatory,
                 does("Pairs a good event with one of each fault, both ways.")) {
  Device& device = test.device();
  const Stream stream(device);
  const Event good(device, COLLET_EVENT_TIMING);
  const Event unrecorded(device, COLLET_EVENT_TIMING);
  const Event untimed(device);
  stream.record(good);
  stream.record(untimed);
  stream.finish();
  std::int64_t duration = 0;
  for (const Event* const bad : {&unrecorded, &untimed}) {
    expect_status(good.elapsed(*bad, duration), COLLET_ERROR_NOT_RECORDED, "elapsed");
    expect_status(bad->elapsed(good, duration), COLLET_ERROR_NOT_RECORDED, "elapsed");
  }
}

}  // namespace collet::conformance
