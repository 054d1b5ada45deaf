// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <collet/device.hpp>
#include <collet/stream.hpp>
#include <string>
#include <thread>

#include "support/catch.hpp"

namespace {

TEST_CASE("Device the default device is the one that COLLET_DEVICE names") {
  const collet::Device device = collet::default_device();
  CHECK(device.id() == "cpu:0");
  CHECK(device == collet::Device::open("cpu:0"));
}

TEST_CASE("Device a list of back ends holds the one that is open, with its devices") {
  const auto found = collet::backends();
  const bool has_cpu = std::any_of(found.begin(), found.end(), [](const auto& backend) {
    return std::string(backend.name) == "cpu";
  });
  CHECK(has_cpu);
  const auto cpus = collet::devices("cpu");
  REQUIRE(!cpus.empty());
  CHECK(std::string(cpus[0].id) == "cpu:0");
  CHECK(cpus[0].memory_bytes == collet::default_device().properties().memory_bytes);
}

TEST_CASE("Device memory_info tells no more free memory than there is") {
  const auto memory = collet::default_device().memory_info();
  CHECK(memory.total_bytes > 0);
  CHECK(memory.free_bytes <= memory.total_bytes);
}

TEST_CASE("DeviceScope the current device of a thread is the default device at first") {
  bool is_default = false;
  std::thread([&] { is_default = collet::current_device() == collet::default_device(); }).join();
  CHECK(is_default);
}

TEST_CASE("DeviceScope gives the earlier device back, also when an exception ends it") {
  const collet::Device before = collet::current_device();
  const collet::Device other = collet::Device::open("cpu:0");
  try {
    const collet::DeviceScope scope(other);
    CHECK(collet::current_device() == other);
    CHECK(collet::Stream().device() == other);
    throw std::runtime_error("out of the scope");
  } catch (const std::runtime_error&) {
    CHECK(collet::current_device() == before);
  }
}

}  // namespace
