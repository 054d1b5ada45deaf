// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <collet/collet.hpp>
#include <future>

#include "support/catch.hpp"

namespace {

using namespace std::chrono_literals;

TEST_CASE("Event is not complete before its work is, and waits for no longer than asked") {
  const collet::Stream stream(collet::current_device(), {.background = true});
  const collet::Event event;
  CHECK(event.query());

  std::promise<void> gate;
  stream.host_function([opened = gate.get_future()] { opened.wait(); });
  stream.record(event);
  CHECK(!event.query());
  CHECK(!event.synchronize(0ns));
  CHECK(!event.synchronize(1ms));
  CHECK(!stream.query());
  CHECK(!stream.synchronize(-1s));

  gate.set_value();
  event.synchronize();
  CHECK(event.query());
  CHECK(event.synchronize(std::chrono::hours::max()));
}

TEST_CASE("Event orders one stream after another") {
  const collet::Stream first(collet::current_device(), {.background = true});
  const collet::Stream second(collet::current_device(), {.background = true});
  const collet::Buffer value = first.upload(std::vector{1});

  std::promise<void> gate;
  const collet::Event written;
  first.host_function([opened = gate.get_future()] { opened.wait(); });
  first.fill(value, 1, 2);
  first.record(written);
  second.wait(written);
  auto seen = std::async(std::launch::async, [&] {
    int result = 0;
    second.read(value, std::span(&result, 1));
    return result;
  });
  gate.set_value();
  CHECK(seen.get() == 2);
}

TEST_CASE("elapsed measures from one event to the other, with a sign") {
  const collet::Stream stream;
  const collet::Event start(stream.device(), {.timing = true});
  const collet::Event end(stream.device(), {.timing = true});
  stream.record(start);
  const collet::Buffer buffer = stream.allocate(1 << 20);
  stream.fill(buffer, 1 << 20, char{1});
  stream.record(end);
  CHECK(collet::elapsed(start, end) >= 0ns);
  CHECK(collet::elapsed(end, start) == -collet::elapsed(start, end));
}

TEST_CASE("elapsed refuses events without timing") {
  const collet::Stream stream;
  const collet::Event event;
  stream.record(event);
  try {
    collet::elapsed(event, event);
    FAIL("nothing was thrown");
  } catch (const collet::Error& error) {
    CHECK(error.status() == COLLET_ERROR_NOT_RECORDED);
  }
}

}  // namespace
