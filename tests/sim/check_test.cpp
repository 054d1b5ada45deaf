// SPDX-License-Identifier: Apache-2.0
// COLLET_SIM_CHECK, as a host program meets it: each hazard, and the same program without it.
//
// A conflict makes the later of the two commands fail here. Settings are read once, and so is each
// case run.
#include <algorithm>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "host/gate.hpp"
#include "host/objects.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 4096;

// Two streams of a device on which conflicts are failures, with labels.
class Checked {
 public:
  explicit Checked(const char* schedule = "eager") {
    setenv("COLLET_SIM_CHECK", "fail", 1);
    setenv("COLLET_SIM_SCHEDULE", schedule, 1);
    setenv("COLLET_SIM_PATIENCE", "3600s", 1);
    device = open_device("sim:0");
    first = labelled("first");
    second = labelled("second");
    event = make_event(device);
    buffer = allocate(first, kSize);
  }

  // Makes `second` wait for what is on `first`.
  void order() const { order(first, second); }
  void order(const Stream& before, const Stream& after) const {
    REQUIRE(collet_event_record(event.get(), before.get()) == COLLET_OK);
    REQUIRE(collet_stream_wait_event(after.get(), event.get()) == COLLET_OK);
  }

  Stream labelled(const char* label) const {
    auto desc = stream_desc(COLLET_STREAM_BACKGROUND);
    desc.label = label;
    collet_stream_t* made = nullptr;
    REQUIRE(collet_stream_create(device, &desc, &made) == COLLET_OK);
    return Stream(made);
  }

  // Whether all went well. A conflict must be what has failed.
  [[nodiscard]] bool is_sound() const {
    const bool is_first_sound = is_sound(first);
    return is_sound(second) && is_first_sound;
  }
  [[nodiscard]] static bool is_sound(const Stream& stream) {
    const auto status = collet_stream_synchronize(stream.get(), COLLET_TIMEOUT_INFINITE);
    if (status == COLLET_OK) return true;
    CHECK(status == COLLET_ERROR_COMMAND_FAILED);
    CHECK(message_has("COLLET_SIM_CHECK: "));
    return false;
  }

  collet_device_t* device = nullptr;
  Stream first;
  Stream second;
  Event event;
  Buffer buffer;
};

void fill(const Stream& stream, const Buffer& buffer, std::uint64_t offset = 0,
          std::uint64_t size = kSize) {
  const unsigned char value = 1;
  REQUIRE(collet_stream_fill(stream.get(), buffer.get(), offset, size, &value, 1) == COLLET_OK);
}

void copy(const Stream& stream, const Buffer& to, const Buffer& from) {
  REQUIRE(collet_stream_copy(stream.get(), to.get(), 0, from.get(), 0, kSize) == COLLET_OK);
}

// Stores one value at the front of a buffer.
void launch(const Objects& objects, const Stream& stream, const Buffer& buffer,
            std::uint32_t value) {
  collet_argument_t arguments[2] = {};
  arguments[0].kind = COLLET_ARGUMENT_BUFFER;
  arguments[0].buffer = buffer.get();
  arguments[1].kind = COLLET_ARGUMENT_SCALAR;
  arguments[1].value = &value;
  arguments[1].size_bytes = sizeof value;
  const collet_launch_t what = {{1, 1, 1}, {1, 1, 1}, 2, arguments};
  REQUIRE(collet_stream_launch(stream.get(), objects.kernel.get(), &what) == COLLET_OK);
}

}  // namespace

TEST_CASE("check: a read on another stream needs an event after the write") {
  const Checked on;
  const Buffer copied = allocate(on.second, kSize);
  const bool is_ordered = GENERATE(true, false);
  fill(on.first, on.buffer);
  if (is_ordered) on.order();
  copy(on.second, copied, on.buffer);
  CHECK(on.is_sound() == is_ordered);
}

TEST_CASE("check: a write on another stream needs an event after the reads") {
  const Checked on;
  const Buffer copied = allocate(on.first, kSize);
  fill(on.first, on.buffer);
  on.order();
  copy(on.first, copied, on.buffer);
  const bool is_ordered = GENERATE(true, false);
  if (is_ordered) on.order();
  fill(on.second, on.buffer);
  CHECK(on.is_sound() == is_ordered);
}

TEST_CASE("check: two streams may read the same bytes, also by kernels") {
  const Checked on;
  const Objects objects(on.device);
  const Buffer one = allocate(on.first, kSize);
  const Buffer two = allocate(on.second, kSize);
  fill(on.first, on.buffer);
  launch(objects, on.first, on.buffer, 7);
  on.order();
  copy(on.first, one, on.buffer);
  copy(on.second, two, on.buffer);
  // These leave what is there.
  launch(objects, on.first, on.buffer, 7);
  launch(objects, on.second, on.buffer, 7);
  CHECK(on.is_sound());
}

TEST_CASE("check: a kernel that changes a buffer has written it") {
  const Checked on;
  const Objects objects(on.device);
  fill(on.first, on.buffer);
  on.order();
  launch(objects, on.first, on.buffer, 7);
  launch(objects, on.second, on.buffer, 8);
  CHECK_FALSE(on.is_sound());
}

TEST_CASE("check: a kernel has read what it is given, whether it has changed it or not") {
  const Checked on;
  const Objects objects(on.device);
  fill(on.first, on.buffer);
  launch(objects, on.first, on.buffer, 0x01010101);
  fill(on.second, on.buffer);
  CHECK_FALSE(on.is_sound());
}

TEST_CASE("check: ranges are exact to the byte") {
  const Checked on;
  const std::uint64_t overlap = GENERATE(0U, 1U);
  fill(on.first, on.buffer, 0, 100 + overlap);
  fill(on.second, on.buffer, 100, 50);
  CHECK(on.is_sound() == (overlap == 0));
  if (overlap != 0) {
    auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
    REQUIRE(collet_stream_failure(on.second.get(), &failure) == COLLET_OK);
    if (failure.status == COLLET_OK) {
      REQUIRE(collet_stream_failure(on.first.get(), &failure) == COLLET_OK);
    }
    CHECK(std::string(failure.message).find("writes 1 bytes at 0x") != std::string::npos);
  }
}

TEST_CASE("check: of rectangles, the rows count, and not what lies between them") {
  const Checked on;
  const Buffer from = allocate(on.first, kSize);
  fill(on.first, from);
  on.order();
  const auto copy_rows = [&](const Stream& stream, std::uint64_t column, std::uint64_t width) {
    collet_rect_t rect{};
    rect.width_bytes = width;
    rect.height = 16;
    rect.dst_offset_bytes = column;
    rect.dst_pitch_bytes = 64;
    rect.src_pitch_bytes = 64;
    REQUIRE(collet_stream_copy_rect(stream.get(), on.buffer.get(), from.get(), &rect) == COLLET_OK);
  };
  const std::uint64_t overlap = GENERATE(0U, 1U);
  copy_rows(on.first, 0, 32 + overlap);
  copy_rows(on.second, 32, 32);
  CHECK(on.is_sound() == (overlap == 0));
}

TEST_CASE("check: what the program has waited for is ordered, however it has waited") {
  const Checked on;
  const int way = GENERATE(0, 1, 2, 3, 4);
  fill(on.first, on.buffer);
  REQUIRE(collet_event_record(on.event.get(), on.first.get()) == COLLET_OK);
  collet_status_t status = COLLET_NOT_READY;
  switch (way) {
    case 0:
      synchronize(on.first);
      break;
    case 1:
      REQUIRE(collet_event_synchronize(on.event.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
      break;
    case 2:
      while (status == COLLET_NOT_READY) status = collet_stream_query(on.first.get());
      break;
    case 3:
      while (status == COLLET_NOT_READY) status = collet_event_query(on.event.get());
      break;
    default:
      static_cast<void>(read(on.first, on.buffer, 1));
  }
  fill(on.second, on.buffer);
  CHECK(on.is_sound());
}

TEST_CASE("check: to wait for an event is not to wait for what comes behind it") {
  const Checked on;
  fill(on.first, on.buffer, 0, 100);
  REQUIRE(collet_event_record(on.event.get(), on.first.get()) == COLLET_OK);
  fill(on.first, on.buffer, 100, 100);
  const bool by_the_program = GENERATE(true, false);
  if (by_the_program) {
    REQUIRE(collet_event_synchronize(on.event.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  } else {
    REQUIRE(collet_stream_wait_event(on.second.get(), on.event.get()) == COLLET_OK);
  }
  fill(on.second, on.buffer, 0, 100);
  CHECK(Checked::is_sound(on.second));
  fill(on.second, on.buffer, 100, 100);
  CHECK_FALSE(on.is_sound());
}

TEST_CASE("check: order passes from stream to stream") {
  const Checked on;
  const Stream third = on.labelled("third");
  const bool is_ordered = GENERATE(true, false);
  fill(on.first, on.buffer);
  if (is_ordered) on.order();
  on.order(on.second, third);
  fill(third, on.buffer);
  const bool is_third_sound = Checked::is_sound(third);
  CHECK((on.is_sound() && is_third_sound) == is_ordered);
}

TEST_CASE("check: a host function passes on what is before it, and what it has waited for") {
  const Checked on;
  fill(on.first, on.buffer);
  // The program learns of the first stream by means of its own...
  std::promise<void> reached;
  const auto tell = [](void* promise, collet_status_t) {
    static_cast<std::promise<void>*>(promise)->set_value();
  };
  REQUIRE(collet_stream_host_function(on.first.get(), tell, &reached) == COLLET_OK);
  reached.get_future().wait();
  fill(on.second, on.buffer);
  // ...and lets a stream go on that waits by such means.
  {
    const Gate gate(on.first);
    fill(on.first, on.buffer);
    CHECK(Checked::is_sound(on.second));
  }
  CHECK(on.is_sound());
}

TEST_CASE("check: memory that is released needs its uses on other streams declared") {
  const Checked on;
  const Buffer copied = allocate(on.second, kSize);
  Buffer released = allocate(on.first, kSize);
  fill(on.first, released);
  on.order();
  copy(on.second, copied, released);
  const bool is_declared = GENERATE(true, false);
  if (is_declared) {
    REQUIRE(collet_buffer_use_on(released.get(), on.second.get()) == COLLET_OK);
  }
  released.reset();
  // The pool hands the bytes out again, to the stream that they belong to.
  const Buffer next = allocate(on.first, kSize);
  fill(on.first, next);
  CHECK(on.is_sound() == is_declared);
}

TEST_CASE("check: pinned memory of a copy is used by nobody else before the copy is complete") {
  const Checked on;
  const Buffer other = allocate(on.second, kSize);
  const Buffer pinned = allocate(on.first, kSize, COLLET_MEMORY_PINNED);
  void* host = nullptr;
  REQUIRE(collet_buffer_host_pointer(pinned.get(), &host) == COLLET_OK);
  const auto desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  fill(on.first, on.buffer);
  REQUIRE(collet_stream_read(on.first.get(), host, on.buffer.get(), 0, kSize, &desc, nullptr) ==
          COLLET_OK);
  const bool is_ordered = GENERATE(true, false);
  if (is_ordered) on.order();
  REQUIRE(collet_stream_write(on.second.get(), other.get(), 0, host, kSize, &desc, nullptr) ==
          COLLET_OK);
  CHECK(on.is_sound() == is_ordered);
}

TEST_CASE("check: a copy to another device needs an order with the streams there") {
  const Checked on;
  collet_device_t* const peer = open_device("sim:1");
  const Stream there = make_stream(peer);
  const Stream other = make_stream(peer);
  const Buffer target = allocate(there, kSize);
  fill(on.first, on.buffer);
  const bool is_ordered = GENERATE(true, false);
  fill(other, target);
  if (is_ordered) {
    const Event done = make_event(peer);
    REQUIRE(collet_event_record(done.get(), other.get()) == COLLET_OK);
    REQUIRE(collet_stream_wait_event(there.get(), done.get()) == COLLET_OK);
  }
  const auto status = collet_stream_copy_across(there.get(), target.get(), 0, on.first.get(),
                                                on.buffer.get(), 0, kSize, nullptr);
  // The one that comes later fails; the copy is complete, or has failed, on return.
  const bool is_copy_sound = status == COLLET_OK;
  CHECK((Checked::is_sound(other) && is_copy_sound) == is_ordered);
}

TEST_CASE("check: what is found does not depend on when commands run") {
  const Checked on("lazy");
  fill(on.first, on.buffer);
  fill(on.second, on.buffer);
  CHECK_FALSE(on.is_sound());
}

TEST_CASE("check: a conflict names both commands, their streams, and what they were annotated") {
  const Checked on;
  fill(on.first, on.buffer, 0, 10);
  synchronize(on.first);
  REQUIRE(collet_stream_annotate(on.first.get(), 1, "batch 3") == COLLET_OK);
  fill(on.first, on.buffer, 16, 100);
  const Buffer copied = allocate(on.second, kSize);
  copy(on.second, copied, on.buffer);
  CHECK_FALSE(on.is_sound());
  std::string text;
  for (const Stream* stream : {&on.first, &on.second}) {
    auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
    REQUIRE(collet_stream_failure(stream->get(), &failure) == COLLET_OK);
    text += failure.message;
  }
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  INFO(text);
  CHECK(has("fill (command 2 of stream \"first\" of sim:0, annotated \"batch 3\")"));
  CHECK(has("copy (command 1 of stream \"second\" of sim:0)"));
  CHECK(has("writes"));
  CHECK(has("reads"));
  CHECK(has("nothing orders the two; record an event"));
}

TEST_CASE("check: streams that come and go are told apart") {
  // Late, so that what the library asks when a stream is released finds nothing complete.
  const Checked on("lazy");
  for (int i = 0; i < 50; ++i) {
    const Stream stream = on.labelled("short");
    fill(stream, on.buffer);
    REQUIRE(Checked::is_sound(stream));
  }
  {
    const Stream stream = on.labelled("unseen");
    fill(stream, on.buffer);
    REQUIRE(collet_event_record(on.event.get(), stream.get()) == COLLET_OK);
  }
  const Stream stream = on.labelled("last");
  fill(stream, on.buffer);
  const bool is_sound = Checked::is_sound(stream);
  const auto status = collet_event_synchronize(on.event.get(), COLLET_TIMEOUT_INFINITE);
  CHECK((!is_sound || status == COLLET_ERROR_COMMAND_FAILED));
}

// A program with a conflict in a loop: 20 times, of one sort. Run by another test, which reads the
// log and the report.
TEST_CASE("check: a program with conflicts", "[.conflicts]") {
  collet_device_t* device = open_device("sim:0");
  const Stream first = make_stream(device);
  const Stream second = make_stream(device);
  const Buffer buffer = allocate(first, kSize);
  for (int i = 0; i < 20; ++i) {
    fill(first, buffer);
    synchronize(first);
    fill(first, buffer);
    fill(second, buffer);
    synchronize(first);
    synchronize(second);
  }
  CHECK(read(first, buffer, kSize) == Bytes(kSize, 1));
}

}  // namespace collet::test
