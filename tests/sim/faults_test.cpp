// SPDX-License-Identifier: Apache-2.0
// COLLET_SIM_FAULTS, as a host program meets it. Settings are read once, and so is each case run.
#include <atomic>
#include <cstdlib>
#include <string>

#include "host/gate.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

collet_device_t* device_with(const char* faults) {
  setenv("COLLET_SIM_FAULTS", faults, 1);
  return open_device("sim:0");
}

collet_status_t fill(const Stream& stream, const Buffer& buffer, unsigned char value = 1) {
  return COLLET_CALL(collet_stream_fill, stream.get(), buffer.get(), 0, 64, &value, 1);
}

// What a host function is told; 7 if it does not run, and 100 more for each time too many.
class Upstream {
 public:
  void enqueue(const Stream& stream) {
    REQUIRE(collet_stream_host_function(stream.get(), note, this) == COLLET_OK);
  }
  int status() const { return status_; }

 private:
  static void note(void* self, collet_status_t upstream) {
    auto& status = static_cast<Upstream*>(self)->status_;
    status = status == 7 ? static_cast<int>(upstream) : status + 100;
  }
  std::atomic<int> status_{7};
};

std::uint64_t native_pointer(const Buffer& buffer) {
  std::uint64_t base = 0;
  std::uint64_t offset = 0;
  REQUIRE(collet_buffer_native_pointer(buffer.get(), &base, &offset) == COLLET_OK);
  return base + offset;
}

}  // namespace

TEST_CASE("faults: of the calls of a kind the n-th fails, and the others do what they say") {
  collet_device_t* device = device_with("fill:nth=2");
  const Stream stream = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  CHECK(fill(stream, buffer, 1) == COLLET_OK);
  CHECK(fill(stream, buffer, 2) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("fill on sim:0 fails by the rule \"fill:nth=2\" of COLLET_SIM_FAULTS"));
  CHECK(read(stream, buffer, 64) == Bytes(64, 1));
  CHECK(fill(stream, buffer, 3) == COLLET_OK);
  CHECK(read(stream, buffer, 64) == Bytes(64, 3));
}

TEST_CASE("faults: from the n-th call on, all fail") {
  collet_device_t* device = device_with("fill:from=2");
  const Stream stream = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  CHECK(fill(stream, buffer) == COLLET_OK);
  CHECK(fill(stream, buffer) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(fill(stream, buffer) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST_CASE("faults: a rule for one device leaves the others alone") {
  collet_device_t* device = device_with("fill:device=1");
  const Stream stream = make_stream(device);
  CHECK(fill(stream, allocate(stream, 64)) == COLLET_OK);
  const Stream other = make_stream(open_device("sim:1"));
  CHECK(fill(other, allocate(other, 64)) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST_CASE("faults: allocations, streams and programs fail as those of real devices do") {
  collet_device_t* device = device_with("allocate,pin,stream:nth=2,program");
  const Stream stream = make_stream(device);
  collet_stream_t* no_stream = nullptr;
  CHECK(COLLET_CALL(collet_stream_create, device, nullptr, &no_stream) ==
        COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  for (const auto kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED}) {
    const auto desc = alloc_desc(64, kind);
    collet_buffer_t* no_buffer = nullptr;
    CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &no_buffer) ==
          COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(message_has(kind == COLLET_MEMORY_DEVICE ? "\"allocate\"" : "\"pin\""));
  }
  const collet_program_image_t image = {COLLET_FORMAT_HOST_SO, "", 1};
  const auto desc = program_desc(image);
  collet_program_t* no_program = nullptr;
  CHECK(COLLET_CALL(collet_program_create, device, &desc, &no_program) ==
        COLLET_ERROR_BUILD_FAILED);
}

TEST_CASE("faults: one allocation that fails is made up for by the pool") {
  collet_device_t* device = device_with("allocate:nth=2");
  const Stream stream = make_stream(device);
  // What is cached can be given back, and the device asked again.
  Buffer first = allocate(stream, 100 * kMebi);
  first.reset();
  synchronize(stream);
  CHECK(allocate(stream, 200 * kMebi) != nullptr);
}

TEST_CASE("faults: beyond the budget there is no memory, on the device that has one") {
  collet_device_t* device = device_with("memory:budget=64MiB:device=0");
  const Stream stream = make_stream(device);
  const auto desc = alloc_desc(65 * kMebi);
  collet_buffer_t* none = nullptr;
  CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &none) ==
        COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("the budget of COLLET_SIM_FAULTS"));
  // All of it can be had, again and again.
  for (int i = 0; i < 3; ++i) CHECK(allocate(stream, 64 * kMebi) != nullptr);
  const Stream other = make_stream(open_device("sim:1"));
  CHECK(allocate(other, 65 * kMebi) != nullptr);
}

TEST_CASE("faults: a trap poisons its stream, and those that wait for it, and no other") {
  collet_device_t* device = device_with("fill:nth=1:trap");
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream waiting = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream other = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  const Buffer of_other = allocate(other, 64);
  const Event event = make_event(device);
  write(stream, buffer, Bytes(64, 9));
  Upstream upstream;
  Upstream of_waiting;
  {
    const Gate gate(stream);
    REQUIRE(collet_stream_annotate(stream.get(), 42, "step 3") == COLLET_OK);
    CHECK(fill(stream, buffer) == COLLET_OK);
    upstream.enqueue(stream);
    REQUIRE(collet_event_record(event.get(), stream.get()) == COLLET_OK);
    REQUIRE(collet_stream_wait_event(waiting.get(), event.get()) == COLLET_OK);
    of_waiting.enqueue(waiting);
  }
  CHECK(COLLET_CALL(collet_stream_synchronize, stream.get(), COLLET_TIMEOUT_INFINITE) ==
        COLLET_ERROR_COMMAND_FAILED);
  CHECK(message_has("step 3: it traps by the rule \"fill:nth=1:trap\" of COLLET_SIM_FAULTS"));
  CHECK(COLLET_CALL(collet_stream_synchronize, waiting.get(), COLLET_TIMEOUT_INFINITE) ==
        COLLET_ERROR_COMMAND_FAILED);
  CHECK(upstream.status() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(of_waiting.status() == COLLET_ERROR_COMMAND_FAILED);
  auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  REQUIRE(collet_stream_failure(stream.get(), &failure) == COLLET_OK);
  CHECK(std::string(failure.command) == "fill");
  CHECK(failure.correlation_id == 42);
  CHECK(fill(other, of_other) == COLLET_OK);
  CHECK(read(other, of_other, 64) == Bytes(64, 1));
  REQUIRE(collet_stream_reset(stream.get()) == COLLET_OK);
  CHECK(read(stream, buffer, 64) == Bytes(64, 9));
  CHECK(fill(stream, buffer, 2) == COLLET_OK);
  CHECK(read(stream, buffer, 64) == Bytes(64, 2));
}

TEST_CASE("faults: a device that is lost answers so to everything, and others go on") {
  collet_device_t* device = device_with("fill:nth=1:lose");
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  const Stream idle = make_stream(device);
  const Stream held = make_stream(device, COLLET_STREAM_BACKGROUND);
  Buffer buffer = allocate(stream, 64);
  const Event event = make_event(device);
  Upstream upstream;
  {
    const Gate gate(held);
    upstream.enqueue(held);
    CHECK(fill(stream, buffer) == COLLET_OK);
    CHECK(COLLET_CALL(collet_stream_synchronize, stream.get(), COLLET_TIMEOUT_INFINITE) ==
          COLLET_ERROR_DEVICE_LOST);
    CHECK(message_has("sim:0 was lost by the rule \"fill:nth=1:lose\""));
  }
  CHECK(COLLET_CALL(collet_stream_synchronize, held.get(), COLLET_TIMEOUT_INFINITE) ==
        COLLET_ERROR_DEVICE_LOST);
  CHECK(upstream.status() == COLLET_ERROR_DEVICE_LOST);
  CHECK(COLLET_CALL(collet_stream_query, idle.get()) == COLLET_ERROR_DEVICE_LOST);
  CHECK(fill(idle, buffer) == COLLET_ERROR_DEVICE_LOST);
  CHECK(COLLET_CALL(collet_event_record, event.get(), idle.get()) == COLLET_ERROR_DEVICE_LOST);
  CHECK(COLLET_CALL(collet_stream_reset, stream.get()) == COLLET_ERROR_DEVICE_LOST);
  CHECK(COLLET_CALL(collet_stream_query, stream.get()) == COLLET_ERROR_DEVICE_LOST);
  collet_stream_t* no_stream = nullptr;
  CHECK(COLLET_CALL(collet_stream_create, device, nullptr, &no_stream) == COLLET_ERROR_DEVICE_LOST);
  const auto desc = alloc_desc(100 * kMebi);
  collet_buffer_t* no_buffer = nullptr;
  CHECK(COLLET_CALL(collet_buffer_alloc, idle.get(), &desc, &no_buffer) ==
        COLLET_ERROR_DEVICE_LOST);
  buffer.reset();
  const Stream other = make_stream(open_device("sim:1"));
  const Buffer of_other = allocate(other, 64);
  CHECK(fill(other, of_other) == COLLET_OK);
  CHECK(read(other, of_other, 64) == Bytes(64, 1));
}

// Nanoseconds that the second of two fills takes.
std::int64_t time_of_slow_fill() {
  collet_device_t* device = device_with("fill:nth=2:delay=20ms");
  const Stream stream = make_stream(device);
  const Buffer buffer = allocate(stream, 64);
  const Event start = make_event(device, COLLET_EVENT_TIMING);
  const Event end = make_event(device, COLLET_EVENT_TIMING);
  REQUIRE(fill(stream, buffer, 1) == COLLET_OK);
  REQUIRE(collet_event_record(start.get(), stream.get()) == COLLET_OK);
  REQUIRE(fill(stream, buffer, 2) == COLLET_OK);
  REQUIRE(collet_event_record(end.get(), stream.get()) == COLLET_OK);
  synchronize(stream);
  std::int64_t duration_ns = 0;
  REQUIRE(collet_event_elapsed(start.get(), end.get(), &duration_ns) == COLLET_OK);
  CHECK(read(stream, buffer, 64) == Bytes(64, 2));
  return duration_ns;
}

TEST_CASE("faults: a command that is made slow takes no less") {
  CHECK(time_of_slow_fill() >= 20'000'000);
}

TEST_CASE("faults: a command that is made slow takes that longer on the virtual clock") {
  setenv("COLLET_SIM_CLOCK", "virtual", 1);
  setenv("COLLET_SIM_COSTS", "memory=64GB/s", 1);
  CHECK(time_of_slow_fill() == 20'000'001);
}

TEST_CASE("faults: memory that was released last is given first") {
  setenv("COLLET_MEMORY", "pool=off", 1);
  collet_device_t* device = device_with("allocate:reuse");
  const Stream stream = make_stream(device);
  Buffer low = allocate(stream, kMebi);
  Buffer middle = allocate(stream, kMebi);
  const Buffer high = allocate(stream, kMebi);
  const std::uint64_t released_last = native_pointer(middle);
  low.reset();
  middle.reset();
  synchronize(stream);
  CHECK(native_pointer(allocate(stream, kMebi / 2)) == released_last);
}

TEST_CASE("faults: a malformed rule is an error that shows it") {
  setenv("COLLET_SIM_FAULTS", "launch:trap,fill:nth=0", 1);
  collet_device_t* device = nullptr;
  CHECK(COLLET_CALL(collet_device_open, "sim:0", &device) < 0);
  CHECK(message_has("COLLET_SIM_FAULTS, at \"fill:nth=0\": nth must be a whole number from 1"));
}

}  // namespace collet::test
