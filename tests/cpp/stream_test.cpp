// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <collet/stream.hpp>
#include <future>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

std::vector<int> counted(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_CASE("Stream upload and read give back what was put in") {
  const collet::Stream stream;
  std::vector<int> source = counted(1000);
  const collet::Buffer buffer = stream.upload(source);
  source.assign(1000, -1);
  std::vector<int> result(1000);
  stream.read(buffer, result);
  CHECK(result == counted(1000));
}

TEST_CASE("Stream info tells of its device, its flags and the priority in force") {
  const collet::Stream stream(collet::current_device(),
                              {.background = true, .priority = -1'000'000});
  const collet_stream_info_t info = stream.info();
  CHECK(info.device == stream.device().get());
  CHECK(info.flags == COLLET_STREAM_BACKGROUND);
  CHECK(info.priority == stream.device().properties().priority_greatest);
}

TEST_CASE("Stream transfers take any contiguous range, at any place, also an empty one") {
  const collet::Stream stream;
  const collet::Buffer buffer = stream.upload(counted(8));
  const std::array<int, 2> two{-1, -2};
  stream.write(buffer.at(4), two);
  stream.write(buffer.at(20), std::span(two).first(1));
  stream.write(buffer.at(32), std::vector<int>());
  std::array<int, 8> result{};
  stream.read(buffer, result);
  CHECK(result == std::array{0, -1, -2, 3, 4, -1, 6, 7});
}

TEST_CASE("Stream a transfer past the end throws and changes nothing") {
  const collet::Stream stream;
  const collet::Buffer buffer = stream.upload(counted(4));
  CHECK_THROWS_AS(stream.write(buffer.at(4), counted(4)), collet::Error);
  std::vector<int> result(4);
  stream.read(buffer, result);
  CHECK(result == counted(4));
}

TEST_CASE("Pending holds the values after wait") {
  const collet::Stream stream;
  const collet::Buffer buffer = stream.upload(counted(100));
  std::vector<int> result(100);
  CHECK(stream.download(buffer, result).wait().data() == result.data());
  CHECK(result == counted(100));
}

TEST_CASE("Pending into pinned memory does not block before wait") {
  const collet::Stream stream(collet::current_device(), {.background = true});
  const collet::Buffer buffer = stream.upload(counted(10));
  const collet::Buffer pinned = stream.allocate(40, {.kind = COLLET_MEMORY_PINNED});
  std::promise<void> gate;
  stream.host_function([opened = gate.get_future()] { opened.wait(); });
  // Blocking here would last forever: the gate opens below.
  auto pending = stream.download(buffer, pinned.host_view<int>());
  auto moved = std::move(pending);
  gate.set_value();
  const std::span<int> values = moved.wait();
  CHECK(std::vector<int>(values.begin(), values.end()) == counted(10));
}

TEST_CASE("Pending that goes unwaited waits by itself") {
  const collet::Stream stream(collet::current_device(), {.background = true});
  std::vector<int> memory(10);
  const auto pinned = collet::Buffer::register_host(stream.device(), std::span(memory));
  const collet::Buffer buffer = stream.upload(counted(10));
  std::promise<void> gate;
  stream.host_function([opened = gate.get_future()] { opened.wait(); });
  {
    const auto pending = stream.download(buffer, memory);
    gate.set_value();
  }
  CHECK(memory == counted(10));
  stream.synchronize();
}

TEST_CASE("Stream copies within the device") {
  const collet::Stream stream;
  const collet::Buffer source = stream.upload(counted(6));
  const collet::Buffer target = stream.upload(std::vector<int>(6, -1));
  stream.copy(target.at(4), source.at(8), 12);
  stream.copy_rect(target, source,
                   {.dst_offset_bytes = 16,
                    .src_offset_bytes = 0,
                    .width_bytes = 4,
                    .height = 2,
                    .dst_pitch_bytes = 4,
                    .src_pitch_bytes = 20});
  std::array<int, 6> result{};
  stream.read(target, result);
  CHECK(result == std::array{-1, 2, 3, 4, 0, 5});
}

TEST_CASE(
    "Stream copies rectangles from and to ranges of host memory, and refuses what leaves them") {
  const collet::Stream stream;
  const collet::Buffer buffer = stream.upload(std::vector<int>(6, -1));
  // The second and third column of two rows of three.
  const collet_rect_t columns{.dst_offset_bytes = 4,
                              .src_offset_bytes = 4,
                              .width_bytes = 8,
                              .height = 2,
                              .dst_pitch_bytes = 12,
                              .src_pitch_bytes = 12};
  stream.write_rect(buffer, counted(6), columns);
  std::array<int, 6> result{};
  stream.read(buffer, result);
  CHECK(result == std::array{-1, 1, 2, -1, 4, 5});
  std::array<int, 6> back{7, 7, 7, 7, 7, 7};
  stream.read_rect(buffer, back, columns);
  CHECK(back == std::array{7, 1, 2, 7, 4, 5});
  CHECK_THROWS_AS(stream.write_rect(buffer, counted(5), columns), std::out_of_range);
  CHECK_THROWS_AS(stream.read_rect(buffer, std::span(back).first(5), columns), std::out_of_range);
}

TEST_CASE("Stream fill repeats a value of any pattern size") {
  const collet::Stream stream;
  const collet::Buffer buffer = stream.upload(std::vector<double>(4, 1.0));
  stream.fill(buffer.at(8), 2, 2.5);
  std::array<double, 4> result{};
  stream.read(buffer, result);
  CHECK(result == std::array{1.0, 2.5, 2.5, 1.0});
  CHECK_THROWS_AS(stream.fill(buffer, UINT64_MAX, 2.5), std::length_error);
}

TEST_CASE("Stream declares buffers of other streams by itself") {
  const collet::Stream owner(collet::current_device(), {.background = true});
  const collet::Stream user(collet::current_device(), {.background = true});
  collet::Buffer shared = owner.upload(counted(1000));
  owner.synchronize();
  const collet::Buffer copy = user.allocate(4000);

  std::promise<void> gate;
  user.host_function([opened = gate.get_future()] { opened.wait(); });
  user.copy(copy, shared, 4000);
  shared = {};
  // Would be handed the same memory if the use on `user` were not known.
  const collet::Buffer next = owner.upload(std::vector<int>(1000, -1));
  owner.synchronize();
  gate.set_value();
  std::vector<int> result(1000);
  user.read(copy, result);
  CHECK(result == counted(1000));
}

TEST_CASE("host_function runs exactly once, with the status of the work before it") {
  const collet::Stream stream;
  std::atomic<int> calls = 0;
  collet_status_t seen = COLLET_ERROR_INTERNAL;
  // Only movable, as a callable may be.
  auto function = [&, owned = std::make_unique<int>(3)](collet_status_t upstream) {
    calls += *owned;
    seen = upstream;
  };
  stream.host_function(std::move(function)).get();
  stream.synchronize();
  CHECK(calls == 3);
  CHECK(seen == COLLET_OK);
}

TEST_CASE("host_function keeps an exception in its result, and the stream goes on") {
  const collet::Stream stream;
  auto failed = stream.host_function([] { throw std::runtime_error("kept"); });
  CHECK_THROWS_WITH(failed.get(), "kept");
  // Nobody looks at this one.
  stream.host_function([] { throw 1; });
  stream.synchronize();
  CHECK(stream.failure().status == COLLET_OK);
}

TEST_CASE("host_function may not call Collet") {
  const collet::Stream stream;
  auto inner = stream.host_function([&] { stream.synchronize(); });
  try {
    inner.get();
    FAIL("nothing was thrown");
  } catch (const collet::Error& error) {
    CHECK(error.status() == COLLET_ERROR_REENTRANT);
  }
}

TEST_CASE("host_function is destroyed where it cannot be recorded") {
  collet::Stream stream;
  const collet::Stream moved = std::move(stream);
  auto token = std::make_shared<int>(1);
  CHECK_THROWS_AS(stream.host_function([token] {}),
                  collet::Error);  // NOLINT(bugprone-use-after-move)
  CHECK(token.use_count() == 1);
}

TEST_CASE("Stream has no failure at first, and takes a reset and a label") {
  const collet::Stream stream;
  CHECK(stream.failure().status == COLLET_OK);
  stream.annotate(7, "part");
  stream.reset();
  CHECK(stream.query());
}

}  // namespace
