// SPDX-License-Identifier: Apache-2.0
// HOST-ERR-3 where the host's memory runs out: at each allocation that an exported function makes.
#include <thread>

#include "scripted/failing_new.hpp"
#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

// More allocations than any function makes.
constexpr int kMost = 100;

// Calls again and again, with one more allocation that succeeds each time, until none fails. The
// number of failures, or -1 if a call has given another answer than it may.
int failures_of(const HandleUse& use, collet_status_t expected) {
  for (int successes = 0; successes < kMost; ++successes) {
    collet_status_t status = COLLET_OK;
    bool failed = false;
    {
      const FailingNew scope(successes);
      status = use.call(use.sound);
      failed = FailingNew::failed();
    }
    if (status != expected && !(failed && status == COLLET_ERROR_OUT_OF_HOST_MEMORY)) {
      UNSCOPED_INFO("with " << successes << " allocations: " << collet_status_name(status));
      return -1;
    }
    if (!failed) {
      return successes;
    }
  }
  return -1;
}

}  // namespace

TEST_CASE("HOST-ERR-3 where host memory runs out, every function says so and works afterwards") {
  const ScriptedDevice on;
  Objects objects(on.device);
  int failures = 0;
  for (const HandleUse& use : handle_uses(objects)) {
    if (use.function.find("_retain") != std::string::npos) {
      continue;
    }
    INFO(use.function << ", argument " << use.argument);
    const collet_status_t expected = use.call(use.sound);
    const int of_use = failures_of(use, expected);
    CHECK(of_use >= 0);
    failures += of_use;
    CHECK(use.call(use.sound) == expected);
  }
  CHECK(failures > 10);
  // Nothing that was refused is counted.
  const auto now = statistics_of(allocator_of(on.device));
  CHECK(now.buffers.current == 2);
  CHECK(now.active_bytes.current == now.allocated_bytes.current);
  CHECK(now.requested_bytes.current <= now.allocated_bytes.current);
  CHECK(on.script.count("stream.create") == on.script.count("stream.destroy") + 1);
  CHECK(on.script.count("event.create") == on.script.count("event.destroy") + 2);
}

TEST_CASE("HOST-ERR-3 refusals do not need host memory, but for their text") {
  const ScriptedDevice on;
  Objects objects(on.device);
  for (HandleUse& use : handle_uses(objects)) {
    use.sound = nullptr;
    INFO(use.function << ", argument " << use.argument);
    CHECK(failures_of(use, COLLET_ERROR_INVALID_HANDLE) >= 0);
  }
}

TEST_CASE("HOST-ERR-3 what a refused run says needs no host memory") {
  const ScriptedDevice on;
  const Objects objects(on.device);
  const collet_operand_t wrong[][2] = {
      {{objects.buffer.get(), 255, {}}, {nullptr, 0, {1.5}}},
      {{objects.buffer.get(), 1, {}}, {nullptr, 0, {1.5}}},
      {{objects.buffer.get(), 0, {}}, {objects.buffer.get(), 0, {1.5}}},
  };
  // The thread's record is made with its first error.
  CHECK(collet_stream_query(nullptr) == COLLET_ERROR_INVALID_HANDLE);
  for (const auto& operands : wrong) {
    collet_status_t status = COLLET_OK;
    bool failed = false;
    {
      const FailingNew scope(0);
      status = collet_stream_run(objects.stream.get(), objects.plan.get(), operands, 2, nullptr, 0);
      failed = FailingNew::failed();
    }
    CHECK(status != COLLET_OK);
    CHECK_FALSE(failed);
  }
}

TEST_CASE("HOST-MEM-1 a release needs no host memory, whatever it waits for") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  const Stream second = on.held_stream();
  Buffer buffer = allocate(stream, 64);
  ScriptedDevice::occupy(stream, buffer);
  ScriptedDevice::occupy(second, buffer);
  REQUIRE(collet_buffer_use_on(buffer.get(), second.get()) == COLLET_OK);
  bool failed = false;
  {
    const FailingNew scope(0);
    buffer.reset();
    failed = FailingNew::failed();
  }
  CHECK_FALSE(failed);
  CHECK(on.script.count("memory.free") == 0);
  on.script.finish("s1");
  on.script.finish("s2");
  allocate(make_stream(on.device), 1);
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-ERR-1 an error that there is no memory to note is still said to be one") {
  collet_status_t status = COLLET_OK;
  collet_error_t seen{};
  collet_error_t cleared{};
  collet_error_t later{};
  std::thread([&] {
    {
      const FailingNew scope(0);
      status = collet_event_query(nullptr);
    }
    seen = *collet_last_error();
    collet_clear_error();
    cleared = *collet_last_error();
    static_cast<void>(collet_event_query(nullptr));
    later = *collet_last_error();
  }).join();
  CHECK(status == COLLET_ERROR_INVALID_HANDLE);
  CHECK(seen.status == COLLET_ERROR_OUT_OF_HOST_MEMORY);
  CHECK(std::string(seen.message).find("out of host memory") == 0);
  CHECK(cleared.status == COLLET_OK);
  CHECK(later.status == COLLET_ERROR_INVALID_HANDLE);
}

}  // namespace collet::test
