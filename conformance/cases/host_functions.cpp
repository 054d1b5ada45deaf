// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

/** What host functions leave; shared with them, in case that one runs too late. */
struct Trace {
  std::vector<int> order;
  std::atomic<int> count{0};
};

}  // namespace

CONFORMANCE_CASE("PLUG-STR-7 host functions run once each, in order", clauses("PLUG-STR-7"),
                 kMandatory, does("Enqueues a thousand, behind a gate and without one.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    for (const bool is_gated : {false, true}) {
      if (is_gated && sort == 0) continue;
      const auto trace = std::make_shared<Trace>();
      const Stream stream(device, sort);
      {
        std::unique_ptr<Gate> gate;
        if (is_gated) gate = std::make_unique<Gate>(stream);
        for (int i = 0; i < 1000; ++i) {
          stream.then([trace, i](collet_status_t upstream) {
            ++trace->count;
            trace->order.push_back(upstream == COLLET_OK ? i : -1);
          });
        }
        if (gate) {
          gate->wait_until_reached();
          expect(trace->count.load() == 0, "a host function ran before the gate in front of it");
        }
      }
      stream.finish();
      expect(trace->count.load() == 1000,
             std::to_string(trace->count.load()) + " calls of 1000 host functions");
      for (int i = 0; i < 1000; ++i) {
        expect(trace->order[static_cast<std::size_t>(i)] == i,
               "host function " + std::to_string(i) + " did not run in its place");
      }
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-7 a host function sees what was enqueued before it, and only that",
                 clauses("PLUG-STR-7"), needs(Capability::kPinnedMemory),
                 does("Reads pinned memory in a host function between two copies to it.")) {
  Device& device = test.device();
  constexpr std::size_t kSize = 512;
  const Memory memory(device, kSize);
  const Memory pinned(device, kSize, COLLET_MEMORY_PINNED);
  const std::uint8_t* const host = pinned.host_pointer();
  const Stream stream(device);
  for (int round = 0; round < 50; ++round) {
    Bytes seen;
    const std::uint8_t first = 1;
    const std::uint8_t second = 2;
    expect_ok(stream.fill(memory, 0, kSize, &first, 1), "fill");
    expect_ok(stream.copy(pinned, 0, memory, 0, kSize), "copy");
    stream.then([&](collet_status_t) { seen = Bytes(host, host + kSize); });
    expect_ok(stream.fill(memory, 0, kSize, &second, 1), "fill");
    expect_ok(stream.copy(pinned, 0, memory, 0, kSize), "copy");
    stream.finish();
    expect_bytes(seen, Bytes(kSize, first), "what a host function between two copies saw");
  }
}

CONFORMANCE_CASE("PLUG-STR-7 a host function learns of an earlier failure, and still runs once",
                 clauses("PLUG-STR-7"), needs(Capability::kFailingKernels),
                 does("Enqueues host functions before and behind a kernel that fails.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "fail");
  const Stream stream(device);
  const auto trace = std::make_shared<Trace>();
  const auto note = [trace](collet_status_t upstream) {
    ++trace->count;
    trace->order.push_back(upstream);
  };
  {
    const Gate gate(stream);
    stream.then(note);
    expect_ok(Launch().enqueue(stream, kernel), "launch");
    stream.then(note);
    stream.then(note);
  }
  expect_status(stream.synchronize(), COLLET_ERROR_COMMAND_FAILED, "synchronize");
  expect(trace->count.load() == 3,
         std::to_string(trace->count.load()) + " calls of 3 host functions around a failure");
  expect(trace->order[0] == COLLET_OK, "the host function before the failure was given one");
  for (const std::size_t i : {1U, 2U}) {
    expect(trace->order[i] == COLLET_ERROR_COMMAND_FAILED,
           "a host function behind the failure was given " +
               status_name(static_cast<collet_status_t>(trace->order[i])));
  }
  expect_ok(stream.reset(), "reset");
}

}  // namespace collet::conformance
