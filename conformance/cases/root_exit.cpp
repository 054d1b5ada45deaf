// SPDX-License-Identifier: Apache-2.0
/** The end of the process, at any time and from any thread. */
#include <cstdlib>
#include <functional>
#include <thread>

#include "conformance.hpp"
#include "process.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr int kStatus = 7;
constexpr int kRounds = 5;

/** Each round ends a process that has loaded the plugin by exit(kStatus), which must be seen. */
void expect_exit(Test& test, const std::function<void(Device&)>& body,
                 Place place = Place::here()) {
  for (int round = 0; round < kRounds; ++round) {
    const ProcessEnd end = run_in_child(
        [&] {
          // Never destroyed: a program that ends does not clean up.
          auto* const plugin = new Plugin(test.plugin_path());
          body(*new Device(*plugin, test.device_index()));
        },
        patience());
    if (end.how == ProcessEnd::How::kExit && end.code == kStatus) continue;
    fail("a process that called exit(" + std::to_string(kStatus) + ") " + end.text() + ", round " +
             std::to_string(round + 1),
         place);
  }
}

/** Work of all sorts on a stream that nobody will wait for. */
void start_work(Device& device, const Stream& stream) {
  constexpr std::uint64_t kSize = 1 << 16;
  const auto& a = *new Memory(device, kSize);
  const auto& b = *new Memory(device, kSize);
  const auto& event = *new Event(device, COLLET_EVENT_TIMING);
  const std::uint32_t pattern = 0x01020304;
  for (int i = 0; i < 20; ++i) {
    expect_ok(stream.fill(a, 0, kSize, &pattern, sizeof(pattern)), "fill");
    expect_ok(stream.copy(b, 0, a, 0, kSize), "copy");
    stream.record(event);
  }
}

Stream& new_stream(Device& device, std::uint32_t flags = COLLET_STREAM_BACKGROUND) {
  return *new Stream(device, flags);
}

}  // namespace

CONFORMANCE_CASE("PLUG-ROOT-8 the process may end while objects are alive and nothing runs",
                 clauses("PLUG-ROOT-8"), kMandatory, kAlone,
                 does("Ends fresh processes by exit() with streams, memory and events alive.")) {
  expect_exit(test, [](Device&) { std::exit(kStatus); });
  expect_exit(test, [](Device& device) {
    for (const std::uint32_t flags : kStreamSorts) {
      Stream& stream = new_stream(device, flags);
      start_work(device, stream);
      stream.finish();
    }
    std::exit(kStatus);
  });
}

CONFORMANCE_CASE("PLUG-ROOT-8 the process may end while commands are in flight",
                 clauses("PLUG-ROOT-8"), kMandatory, kAlone,
                 does("Calls exit() while streams work, and while one stands at a shut gate.")) {
  expect_exit(test, [](Device& device) {
    for (int i = 0; i < 4; ++i) start_work(device, new_stream(device));
    std::exit(kStatus);
  });
  expect_exit(test, [](Device& device) {
    Stream& stream = new_stream(device);
    const Gate& gate = *new Gate(stream);
    gate.wait_until_reached();
    start_work(device, stream);
    std::exit(kStatus);
  });
}

CONFORMANCE_CASE("PLUG-ROOT-8 the process may end from any thread", clauses("PLUG-ROOT-8"),
                 kMandatory, kAlone,
                 does("Calls exit() on a second thread while the first one waits for a stream, and "
                      "in a host function.")) {
  expect_exit(test, [](Device& device) {
    Stream& stream = new_stream(device);
    const Gate& gate = *new Gate(stream);
    gate.wait_until_reached();
    std::thread([] { std::exit(kStatus); }).detach();
    static_cast<void>(stream.synchronize(COLLET_TIMEOUT_INFINITE));
  });
  expect_exit(test, [](Device& device) {
    Stream& stream = new_stream(device);
    stream.then([](collet_status_t) { std::exit(kStatus); });
    start_work(device, stream);
    static_cast<void>(stream.synchronize(COLLET_TIMEOUT_INFINITE));
  });
}

}  // namespace collet::conformance
