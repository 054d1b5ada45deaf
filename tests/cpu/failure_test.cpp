// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

/** What a host function was given, and how often it was called. */
struct Call {
  std::atomic<int> times{0};
  std::atomic<collet_status_t> upstream{COLLET_OK};
};
void note(void* data, collet_status_t upstream) {
  auto* call = static_cast<Call*>(data);
  call->upstream = upstream;
  ++call->times;
}

/** A kernel that throws: the one command of this plugin that fails on demand. */
class Failing {
 public:
  Failing() : program_(module_image("good")), kernel_(program_.kernel("fails")) {}
  collet_status_t enqueue(const Stream& stream) const {
    return launch(stream, kernel_, {1, 1, 1}, {});
  }

 private:
  Program program_;
  collet_plugin_kernel_t* kernel_;
};

TEST_CASE("PLUG-STR-8 a failed command poisons its stream") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Failing failing;
  const Stream stream(flags, "main");
  const Memory memory(8, 1);
  const unsigned char pattern = 2;
  const auto fill = [&] {
    return plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), 8, &pattern, 1);
  };
  std::array<unsigned char, 8> host{};
  Call call;
  REQUIRE(stream.call(note, &call) == COLLET_OK);
  REQUIRE(failing.enqueue(stream) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(last_report().status == COLLET_ERROR_COMMAND_FAILED);
  CHECK(last_report().message.find("\"main\"") != std::string::npos);
  CHECK(last_report().message.find("launch fails") != std::string::npos);
  CHECK(last_report().message.find("the kernel has failed") != std::string::npos);

  const Event event;
  CHECK(stream.query() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(stream.synchronize(0) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(fill() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(failing.enqueue(stream) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(stream.call(note, &call) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(event.record(stream) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(event.hold(stream) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(event.query() == COLLET_OK);
  for (const std::uint64_t timeout : {std::uint64_t{0}, UINT64_MAX}) {
    CHECK(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 8,
                                 0, timeout) == COLLET_ERROR_COMMAND_FAILED);
  }
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 1));
  CHECK(call.times == 1);
}

TEST_CASE("PLUG-STR-8 the failure names command, sequence number and correlation id") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Failing failing;
  const Stream stream(flags);
  CHECK(stream.failure().status == COLLET_OK);
  CHECK(stream.failure().first_candidate == 0);
  Call call;
  REQUIRE(stream.call(note, &call) == COLLET_OK);
  REQUIRE(plugin().stream->annotate(stream.handle(), 77, "layer 3") == COLLET_OK);
  REQUIRE(stream.call(note, &call) == COLLET_OK);
  REQUIRE(failing.enqueue(stream) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  collet_stream_failure_t failure = stream.failure();
  CHECK(failure.status == COLLET_ERROR_COMMAND_FAILED);
  CHECK(failure.first_candidate == 3);
  CHECK(failure.last_candidate == 3);
  CHECK(failure.correlation_id == 77);
  CHECK(std::string(failure.command) == "launch fails");
  CHECK(std::string(failure.message) == "layer 3: the kernel has failed");

  REQUIRE(plugin().stream->reset(stream.handle()) == COLLET_OK);
  CHECK(stream.failure().status == COLLET_OK);
  REQUIRE(plugin().stream->annotate(stream.handle(), 78, nullptr) == COLLET_OK);
  REQUIRE(failing.enqueue(stream) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  failure = stream.failure();
  CHECK(failure.first_candidate == 4);
  CHECK(failure.correlation_id == 78);
  CHECK(std::string(failure.message) == "the kernel has failed");
}

TEST_CASE("PLUG-STR-4 a copy that timed out is no command of the stream") {
  const Failing failing;
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Memory memory(8);
  const std::array<unsigned char, 8> host{};
  Gate gate;
  gate.shut(stream);
  CHECK(plugin().stream->write(stream.handle(), memory.handle(), Memory::begin(), host.data(), 8, 0,
                               0) == COLLET_ERROR_TIMEOUT);
  gate.open();
  REQUIRE(failing.enqueue(stream) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(stream.failure().first_candidate == 2);
}

TEST_CASE("PLUG-STR-7 host functions behind a failure run once, and are told") {
  const Failing failing;
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Memory memory(8, 1);
  const unsigned char pattern = 2;
  Gate gate;
  Call before;
  Call after;
  gate.shut(stream);
  REQUIRE(stream.call(note, &before) == COLLET_OK);
  REQUIRE(failing.enqueue(stream) == COLLET_OK);
  REQUIRE(stream.call(note, &after) == COLLET_OK);
  REQUIRE(plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), 8, &pattern,
                                1) == COLLET_OK);
  gate.open();
  CHECK(stream.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(before.times == 1);
  CHECK(before.upstream == COLLET_OK);
  CHECK(after.times == 1);
  CHECK(after.upstream == COLLET_ERROR_COMMAND_FAILED);
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 1));
}

TEST_CASE("PLUG-STR-9 reset forgets the failure and runs nothing that was held back") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Failing failing;
  const Stream stream(flags);
  const Memory memory(8, 1);
  for (int round = 0; round < 3; ++round) {
    REQUIRE(failing.enqueue(stream) == COLLET_OK);
    const unsigned char pattern = 2;
    const collet_status_t status =
        plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), 8, &pattern, 1);
    CHECK((status == COLLET_OK || status == COLLET_ERROR_COMMAND_FAILED));
    REQUIRE(plugin().stream->reset(stream.handle()) == COLLET_OK);
    CHECK(stream.query() == COLLET_OK);
    CHECK(memory.bytes() == std::vector<unsigned char>(8, 1));
  }
  const unsigned char pattern = 3;
  REQUIRE(plugin().stream->fill(stream.handle(), memory.handle(), Memory::begin(), 8, &pattern,
                                1) == COLLET_OK);
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(memory.bytes() == std::vector<unsigned char>(8, 3));
}

TEST_CASE("PLUG-STR-9 reset of a stream that has not failed waits and changes nothing") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  Call call;
  REQUIRE(stream.call(note, &call) == COLLET_OK);
  REQUIRE(plugin().stream->reset(stream.handle()) == COLLET_OK);
  CHECK(call.times == 1);
  CHECK(stream.query() == COLLET_OK);
}

TEST_CASE("PLUG-EVT-5 an event carries the failure to the streams that wait") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Failing failing;
  const Stream source(COLLET_STREAM_BACKGROUND);
  const Stream waiting(flags);
  const Event event(COLLET_EVENT_TIMING);
  Gate gate;
  gate.shut(source);
  REQUIRE(failing.enqueue(source) == COLLET_OK);
  REQUIRE(event.record(source) == COLLET_OK);
  CHECK(event.query() == COLLET_NOT_READY);
  gate.open();
  CHECK(event.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(event.query() == COLLET_ERROR_COMMAND_FAILED);
  std::int64_t duration = 0;
  CHECK(plugin().event->elapsed(event.handle(), event.handle(), &duration) ==
        COLLET_ERROR_COMMAND_FAILED);

  REQUIRE(event.hold(waiting) == COLLET_OK);
  CHECK(waiting.synchronize() == COLLET_ERROR_COMMAND_FAILED);
  const collet_stream_failure_t failure = waiting.failure();
  CHECK(failure.first_candidate == 1);
  CHECK(std::string(failure.command) == "wait_event");
  CHECK(std::string(failure.message).find("launch fails: the kernel has failed") !=
        std::string::npos);

  // The failure belongs to the record, and stays with it when the source is used again.
  REQUIRE(plugin().stream->reset(source.handle()) == COLLET_OK);
  CHECK(event.query() == COLLET_ERROR_COMMAND_FAILED);
  REQUIRE(event.record(source) == COLLET_OK);
  CHECK(event.synchronize() == COLLET_OK);
}

TEST_CASE("STR threads that enqueue, query and reset around failures do not disturb each other") {
  const auto flags = GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND});
  const Failing failing;
  const Stream stream(flags);
  std::atomic<int> accepted{0};
  std::atomic<int> called{0};
  std::atomic<int> wrong{0};
  const auto count = [](void* counter, collet_status_t) {
    ++*static_cast<std::atomic<int>*>(counter);
  };
  const auto judge = [&](collet_status_t status) {
    if (status != COLLET_OK && status != COLLET_NOT_READY &&
        status != COLLET_ERROR_COMMAND_FAILED) {
      ++wrong;
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (int i = 0; i < 200; ++i) judge(failing.enqueue(stream));
  });
  threads.emplace_back([&] {
    for (int i = 0; i < 200; ++i) judge(plugin().stream->reset(stream.handle()));
  });
  threads.emplace_back([&] {
    for (int i = 0; i < 400; ++i) {
      if (stream.call(count, &called) == COLLET_OK) ++accepted;
      judge(stream.query());
      static_cast<void>(stream.failure());
    }
  });
  for (std::thread& thread : threads) thread.join();
  REQUIRE(plugin().stream->reset(stream.handle()) == COLLET_OK);
  CHECK(stream.synchronize() == COLLET_OK);
  CHECK(wrong == 0);
  CHECK(called == accepted);
}

}  // namespace
}  // namespace collet::test
