// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <collet/collet.hpp>
#include <future>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

using collet::PinnedArray;
using Ints = std::vector<int>;

constexpr std::size_t kCount = 1000;

// Makes its own progress on every device, so that a copy can be left undone.
collet::Stream background() {
  return collet::Stream(collet::current_device(), {.background = true});
}

Ints all(int value) { return Ints(kCount, value); }

Ints counted() {
  Ints values(kCount);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

void set(PinnedArray<int>& array, int value) { std::ranges::fill(array.host_write(), value); }

Ints values_of(const PinnedArray<int>& array) {
  const auto values = array.host_read();
  return {values.begin(), values.end()};
}

Ints values_of(const collet::Stream& stream, const collet::Buffer& buffer) {
  Ints values(buffer.size_bytes() / sizeof(int));
  stream.read(buffer, values);
  return values;
}

PinnedArray<int> array_of(const collet::Stream& stream, int value) {
  PinnedArray<int> array(stream, kCount);
  set(array, value);
  return array;
}

// Holds what is recorded on a stream after it until open().
class Gate {
 public:
  explicit Gate(const collet::Stream& stream) : stream_(stream) {
    stream_.host_function([opened = opened_.get_future()] { opened.wait(); });
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    if (!is_open_) open();
  }
  void open() {
    is_open_ = true;
    opened_.set_value();
  }

 private:
  collet::Stream stream_;
  std::promise<void> opened_;
  bool is_open_ = false;
};

TEST_CASE("PinnedArray host_read gives what the last copy has brought") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, -1);
  stream.read(device, array);
  CHECK(values_of(array) == counted());
  // And again, without a copy.
  CHECK(values_of(array) == counted());
}

TEST_CASE("PinnedArray host_write leaves to a copy what it is to take") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(all(0));
  PinnedArray<int> array = array_of(stream, 1);
  stream.write(device, array);
  set(array, 2);
  CHECK(values_of(stream, device) == all(1));
  CHECK(values_of(array) == all(2));
}

TEST_CASE("PinnedArray host_write is behind the copy that fills the array") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, -1);
  stream.read(device, array);
  set(array, 2);
  stream.synchronize();
  CHECK(values_of(array) == all(2));
}

TEST_CASE("PinnedArray copies from and to it do not block the host") {
  const collet::Stream stream = background();
  const collet::Buffer source = stream.upload(counted());
  const collet::Buffer target = stream.upload(all(0));
  PinnedArray<int> filled = array_of(stream, 1);
  PinnedArray<int> empty = array_of(stream, -1);
  stream.synchronize();
  Gate gate(stream);
  // Blocking here would last forever: the gate opens below.
  stream.write(target, filled);
  stream.read(source, empty);
  CHECK_FALSE(stream.query());
  gate.open();
  CHECK(values_of(empty) == counted());
  CHECK(values_of(stream, target) == all(1));
}

TEST_CASE("PinnedArray host_read does not wait for copies that only read") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(all(0));
  const PinnedArray<int> array = array_of(stream, 1);
  stream.synchronize();
  Gate gate(stream);
  stream.write(device, array);
  CHECK(values_of(array) == all(1));
  gate.open();
  CHECK(values_of(stream, device) == all(1));
}

TEST_CASE("PinnedArray a stream reads what another one has brought") {
  const collet::Stream first = background();
  const collet::Stream second = background();
  const collet::Buffer source = first.upload(counted());
  const collet::Buffer target = second.upload(all(0));
  PinnedArray<int> array = array_of(first, -1);
  first.synchronize();
  Gate gate(first);
  first.read(source, array);
  second.write(target, array);
  gate.open();
  CHECK(values_of(second, target) == counted());
}

TEST_CASE("PinnedArray a stream overwrites nothing that another one is to read") {
  const collet::Stream first = background();
  const collet::Stream second = background();
  const collet::Buffer target = first.upload(all(0));
  const collet::Buffer source = second.upload(counted());
  PinnedArray<int> array = array_of(first, 1);
  first.synchronize();
  second.synchronize();
  Gate gate(first);
  first.write(target, array);
  second.read(source, array);
  CHECK_FALSE(second.query());
  gate.open();
  CHECK(values_of(array) == counted());
  CHECK(values_of(first, target) == all(1));
}

TEST_CASE("PinnedArray has what was recorded last of two streams that fill it") {
  const collet::Stream first = background();
  const collet::Stream second = background();
  const collet::Buffer early = first.upload(counted());
  const collet::Buffer late = second.upload(all(5));
  PinnedArray<int> array = array_of(first, -1);
  first.synchronize();
  second.synchronize();
  Gate gate(first);
  first.read(early, array);
  second.read(late, array);
  gate.open();
  CHECK(values_of(array) == all(5));
  first.synchronize();
  CHECK(values_of(array) == all(5));
}

TEST_CASE("PinnedArray host_write waits for the copies of all streams") {
  const collet::Stream first = background();
  const collet::Stream second = background();
  const collet::Buffer early = first.upload(all(0));
  const collet::Buffer late = first.upload(all(0));
  const collet::Buffer other = second.upload(all(0));
  PinnedArray<int> array = array_of(first, 1);
  first.write(early, array);
  second.write(other, array);
  first.write(late, array);
  set(array, 2);
  CHECK(values_of(first, early) == all(1));
  CHECK(values_of(first, late) == all(1));
  CHECK(values_of(second, other) == all(1));
}

TEST_CASE("PinnedArray that goes leaves its memory to the copies that read it") {
  const collet::Stream owner = background();
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(all(0));
  auto array = std::make_unique<PinnedArray<int>>(array_of(owner, 1));
  stream.synchronize();
  owner.synchronize();
  Gate gate(stream);
  stream.write(device, *array);
  array.reset();
  const PinnedArray<int> next = array_of(owner, 2);
  gate.open();
  CHECK(values_of(stream, device) == all(1));
  CHECK(values_of(next) == all(2));
}

TEST_CASE("PinnedArray that goes leaves its memory to the copy that fills it") {
  const collet::Stream owner = background();
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  auto array = std::make_unique<PinnedArray<int>>(array_of(owner, 1));
  stream.synchronize();
  owner.synchronize();
  Gate gate(stream);
  stream.read(device, *array);
  array.reset();
  const PinnedArray<int> next = array_of(owner, 2);
  gate.open();
  stream.synchronize();
  CHECK(values_of(next) == all(2));
}

TEST_CASE("PinnedArray takes its copies along when it moves, and is refused afterwards") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, -1);
  const auto view = array.host_read();
  stream.write(device, array, 0, 0);
  PinnedArray<int> moved = std::move(array);
  CHECK(view[0] == -1);
  CHECK_THROWS_AS(stream.read(device, moved), std::logic_error);

  // NOLINTBEGIN(bugprone-use-after-move): the state is what is tested
  CHECK(array.size() == 0);
  CHECK_THROWS_AS(array.host_read(), collet::Error);
  CHECK_THROWS_AS(array.host_write(), collet::Error);
  CHECK_THROWS_AS(stream.read(device, array), collet::Error);
  array = array_of(stream, 3);
  // NOLINTEND(bugprone-use-after-move)
  CHECK(values_of(array) == all(3));
}

TEST_CASE("PinnedArray that the host has in its hands is not given to a stream") {
  STATIC_REQUIRE(std::ranges::contiguous_range<collet::HostView<const int>>);
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, 1);
  {
    auto values = array.host_write();
    auto moved = std::move(values);
    moved[0] = 2;
    CHECK_THROWS_AS(stream.write(device, array), std::logic_error);
    CHECK_THROWS_AS(stream.read(device, array), std::logic_error);
  }
  {
    const auto values = array.host_read();
    CHECK_THROWS_AS(stream.read(device, array), std::logic_error);
    CHECK(values_of(stream, device) == counted());
    // To read beside the device is no harm.
    CHECK_NOTHROW(stream.write(device, array));
    CHECK(values[0] == 2);
  }
  stream.read(device, array);
  CHECK(values_of(array)[0] == 2);
  CHECK(values_of(array)[1] == 1);
}

TEST_CASE("PinnedArray parts are copied as they are named") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(all(0));
  PinnedArray<int> array = array_of(stream, 1);
  stream.write(device.at(2 * sizeof(int)), array, 10, 3);
  stream.read(device, array, kCount - 6);
  Ints expected = all(1);
  std::fill(expected.end() - 6, expected.end(), 0);
  std::fill(expected.end() - 4, expected.end() - 1, 1);
  CHECK(values_of(array) == expected);

  stream.write(device, array, kCount, 0);
  CHECK_THROWS_AS(stream.write(device, array, kCount + 1), std::out_of_range);
  CHECK_THROWS_AS(stream.read(device, array, 1, kCount), std::out_of_range);
  CHECK(values_of(array) == expected);
  CHECK(values_of(PinnedArray<int>(stream, 0)).empty());
  CHECK_THROWS_AS(PinnedArray<int>(stream, SIZE_MAX / 2), std::length_error);
}

TEST_CASE("PinnedArray a copy that is refused changes nothing") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, 1);
  CHECK_THROWS_AS(stream.read(device.at(1), array), collet::Error);
  CHECK_THROWS_AS(stream.write(device.at(1), array), collet::Error);
  CHECK(values_of(array) == all(1));
  CHECK(values_of(stream, device) == counted());
}

// Fills fail here: COLLET_SIM_FAULTS says so.
TEST_CASE("PinnedArray that a failed copy was to fill says so until it is written", "[failing]") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, 1);
  {
    Gate gate(stream);
    stream.fill(device, 1, 7);
    stream.read(device, array);
    gate.open();
  }
  for (int i = 0; i < 2; ++i) {
    try {
      static_cast<void>(array.host_read());
      FAIL("nothing was thrown");
    } catch (const collet::Error& error) {
      CHECK(error.status() == COLLET_ERROR_COMMAND_FAILED);
      CHECK(std::string(error.what()).find("fill") != std::string::npos);
    }
  }
  CHECK_THROWS_AS(stream.read(device, array), collet::Error);
  set(array, 2);
  CHECK(values_of(array) == all(2));
  stream.reset();
  stream.read(device, array);
  CHECK(values_of(array) == counted());
}

TEST_CASE("PinnedArray that a failed copy was to read can be written, and used again",
          "[failing]") {
  const collet::Stream stream = background();
  const collet::Buffer device = stream.upload(counted());
  PinnedArray<int> array = array_of(stream, 1);
  {
    Gate gate(stream);
    stream.fill(device, 1, 7);
    stream.write(device, array);
    gate.open();
  }
  set(array, 2);
  CHECK(stream.failure().status == COLLET_ERROR_COMMAND_FAILED);
  stream.reset();
  CHECK(values_of(stream, device) == counted());
  stream.write(device, array);
  CHECK(values_of(stream, device) == all(2));
}

}  // namespace
