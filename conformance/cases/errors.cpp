// SPDX-License-Identifier: Apache-2.0
/** Commands that fail while they run, and streams after that. */
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kSize = 256;
constexpr collet_status_t kFailed = COLLET_ERROR_COMMAND_FAILED;

/** A stream, and a kernel that fails. */
struct Failing {
  explicit Failing(Device& device, std::uint32_t flags = COLLET_STREAM_BACKGROUND)
      : program(device), kernel(program, "fail"), memory(device, kSize), stream(device, flags) {}

  void launch() const { expect_ok(Launch().enqueue(stream, kernel), "launch"); }

  Program program;
  Kernel kernel;
  Memory memory;
  Stream stream;
};

std::size_t length_of(const char* text, std::size_t room) { return strnlen(text, room); }

}  // namespace

CONFORMANCE_CASE("PLUG-STR-8 every later call returns the first failure", clauses("PLUG-STR-8"),
                 needs(Capability::kFailingKernels),
                 does("Makes every call of a stream after a kernel has failed on it, twice.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Failing failing(device, sort);
    const Stream& stream = failing.stream;
    failing.launch();
    Bytes host(kSize);
    const std::uint8_t pattern = 1;
    const collet_rect_t rect = {0, 128, 8, 2, 16, 16};
    Event event(device);
    for (int i = 0; i < 2; ++i) {
      expect_status(stream.synchronize(), kFailed, "synchronize");
      expect_status(stream.query(), kFailed, "query");
      expect_status(stream.fill(failing.memory, 0, kSize, &pattern, 1), kFailed, "fill");
      expect_status(stream.copy(failing.memory, 0, failing.memory, 128, 64), kFailed, "copy");
      expect_status(stream.copy_rect(failing.memory, failing.memory, rect), kFailed, "copy_rect");
      expect_status(stream.write(failing.memory, 0, host.data(), kSize), kFailed, "write");
      expect_status(stream.read(host.data(), failing.memory, 0, kSize), kFailed, "read");
      expect_status(stream.wait(event), kFailed, "wait_event");
      expect_status(event.record(stream.handle()), kFailed, "record");
      expect_status(Launch().enqueue(stream, failing.kernel), kFailed, "launch");
      const auto never = [](void* user_data, collet_status_t) {
        *static_cast<bool*>(user_data) = true;
      };
      bool has_run = false;
      expect_status(stream.host_function(never, &has_run), kFailed, "host_function");
      expect(!has_run, "a host function that was refused has run");
    }
    expect_ok(event.query(), "query of an event whose record was refused");
    expect_ok(stream.reset(), "reset");
  }
}

CONFORMANCE_CASE("PLUG-STR-8 commands behind the failure do not run", clauses("PLUG-STR-8"),
                 needs(Capability::kFailingKernels),
                 does("Enqueues fills, copies and launches behind a failing kernel and a gate.")) {
  Device& device = test.device();
  const Failing failing(device);
  const Kernel set(failing.program, "set");
  const Stream other(device);
  const Bytes before = payload(kSize, 4);
  other.upload(failing.memory, before);
  const std::uint32_t value = 0xFFFFFFFF;
  {
    const Gate gate(failing.stream);
    failing.launch();
    expect_ok(failing.stream.fill(failing.memory, 0, kSize, &value, 4), "fill");
    expect_ok(failing.stream.copy(failing.memory, 0, failing.memory, 128, 64), "copy");
    expect_ok(Launch().memory(failing.memory).value(value).enqueue(failing.stream, set), "launch");
  }
  expect_status(failing.stream.synchronize(), kFailed, "synchronize");
  expect_bytes(other.download(failing.memory), before, "memory after commands behind a failure");
  expect_ok(failing.stream.reset(), "reset");
}

CONFORMANCE_CASE("PLUG-STR-8 the failure names its command", clauses("PLUG-STR-8"),
                 needs(Capability::kFailingKernels),
                 does("Fails the fifth command of a stream, which has a correlation id of its "
                      "own; and asks a stream that has not failed.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Failing failing(device, sort);
    const Stream& stream = failing.stream;
    const collet_stream_failure_t none = stream.failure();
    expect(none.status == COLLET_OK, "a stream that has not failed has a failure");
    const std::uint8_t pattern = 1;
    expect_ok(stream.annotate(100, "harmless"), "annotate");
    for (int i = 0; i < 4; ++i) expect_ok(stream.fill(failing.memory, 0, 64, &pattern, 1), "fill");
    expect_ok(stream.annotate(4711, "guilty"), "annotate");
    failing.launch();
    expect_status(stream.synchronize(), kFailed, "synchronize");
    const collet_stream_failure_t failure = stream.failure();
    expect_status(failure.status, kFailed, "the status of the failure");
    expect(failure.correlation_id == 4711,
           "correlation_id is " + std::to_string(failure.correlation_id) + ", expected 4711");
    expect(failure.first_candidate <= 5 && failure.last_candidate >= 5 &&
               failure.first_candidate >= 1 && failure.last_candidate <= 5,
           "the candidates are " + std::to_string(failure.first_candidate) + " to " +
               std::to_string(failure.last_candidate) + ", and the fifth command failed");
    const std::size_t command = length_of(failure.command, sizeof(failure.command));
    expect(command > 0 && command < sizeof(failure.command), "the failure names no command");
    expect(std::string(failure.command).find("fail") != std::string::npos,
           "the command is \"" + std::string(failure.command) + "\", without the kernel's name");
    const std::size_t message = length_of(failure.message, sizeof(failure.message));
    expect(message > 0 && message < sizeof(failure.message), "the failure has no message");
    expect_ok(stream.reset(), "reset");
  }
}

CONFORMANCE_CASE(
    "PLUG-STR-9 reset makes a failed stream empty and usable", clauses("PLUG-STR-9"),
    needs(Capability::kFailingKernels),
    does("Fails, resets and uses a stream, five times; and resets one that is well.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Failing failing(device, sort);
    const Stream& stream = failing.stream;
    expect_ok(stream.reset(), "reset of a stream that has not failed");
    for (std::uint64_t round = 0; round < 5; ++round) {
      failing.launch();
      expect_status(stream.synchronize(), kFailed, "synchronize");
      expect_ok(stream.reset(), "reset");
      expect_ok(stream.query(), "query after reset");
      expect_ok(stream.synchronize(), "synchronize after reset");
      expect(stream.failure().status == COLLET_OK, "a stream that was reset has a failure");
      const Bytes sent = payload(kSize, round);
      stream.upload(failing.memory, sent);
      expect_bytes(stream.download(failing.memory), sent, "what a stream copied after reset");
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-9 reset runs nothing that was held back", clauses("PLUG-STR-9"),
                 needs(Capability::kFailingKernels),
                 does("Enqueues fills behind a failing kernel and a gate, and resets.")) {
  Device& device = test.device();
  const Failing failing(device);
  const Stream& stream = failing.stream;
  for (std::uint64_t round = 0; round < 5; ++round) {
    const Bytes before = payload(kSize, round);
    stream.upload(failing.memory, before);
    const std::uint8_t value = 0xEE;
    {
      const Gate gate(stream);
      failing.launch();
      for (int i = 0; i < 10; ++i) {
        expect_ok(stream.fill(failing.memory, 0, kSize, &value, 1), "fill");
      }
    }
    expect_status(stream.synchronize(), kFailed, "synchronize");
    expect_ok(stream.reset(), "reset");
    stream.finish();
    expect_bytes(stream.download(failing.memory), before, "memory after the reset");
  }
}

CONFORMANCE_CASE("PLUG-STR-9 other streams do not notice a failure", clauses("PLUG-STR-9"),
                 needs(Capability::kFailingKernels),
                 does("Computes on a second stream while the first one is poisoned.")) {
  Device& device = test.device();
  const Failing failing(device);
  failing.launch();
  expect_status(failing.stream.synchronize(), kFailed, "synchronize");
  const Stream other(device);
  const Bytes sent = payload(kSize, 77);
  other.upload(failing.memory, sent);
  expect_bytes(other.download(failing.memory), sent, "what another stream copied");
  expect_ok(failing.stream.reset(), "reset");
}

}  // namespace collet::conformance
