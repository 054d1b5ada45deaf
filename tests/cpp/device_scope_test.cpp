// SPDX-License-Identifier: Apache-2.0
// What a thread's current device decides, and what not, on a machine with two devices.
#include <collet/collet.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace {

collet::Device first() { return collet::Device::open("sim:0"); }
collet::Device second() { return collet::Device::open("sim:1"); }

TEST_CASE("DeviceScope gives back the device that was current, scope by scope") {
  const collet::DeviceScope outermost(second());
  {
    const collet::DeviceScope outer(first());
    try {
      const collet::DeviceScope inner(second());
      const collet::DeviceScope same(second());
      CHECK(collet::Stream().device() == second());
      throw std::runtime_error("out of both scopes");
    } catch (const std::runtime_error&) {
      CHECK(collet::current_device() == first());
    }
    CHECK(collet::Stream().device() == first());
  }
  CHECK(collet::current_device() == second());
}

TEST_CASE("DeviceScope may be the first that a thread does, with the device that is current") {
  bool is_right = false;
  std::thread([&] {
    const collet::DeviceScope scope(collet::default_device());
    const collet::Stream stream;
    std::vector<int> values(100);
    const std::vector<int> sent(100, 7);
    stream.read(stream.upload(sent), values);
    is_right = values == sent && stream.device() == collet::default_device();
  }).join();
  CHECK(is_right);
}

TEST_CASE("DeviceScope of a thread means nothing to the objects of other devices") {
  const std::vector<int> sent(100, 7);
  std::vector<int> values(100);
  const collet::Stream stream(second(), {.background = true});
  collet::Buffer buffer = stream.upload(sent);
  const collet::Allocator allocator = collet::Allocator::of(second());
  std::thread([&] {
    const collet::DeviceScope scope(first());
    const collet::Buffer copy = stream.allocate(buffer.size_bytes());
    const collet::Event done(second());
    stream.copy(copy, buffer, buffer.size_bytes());
    stream.record(done);
    done.synchronize();
    stream.read(copy, values);
    buffer = {};
  }).join();
  CHECK(values == sent);
  CHECK(allocator.statistics().allocated_bytes.current == 0);
  CHECK(collet::current_device() == collet::default_device());
}

}  // namespace
