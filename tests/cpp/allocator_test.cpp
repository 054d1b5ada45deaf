// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <collet/allocator.hpp>
#include <collet/memory.hpp>
#include <collet/stream.hpp>
#include <utility>

#include "support/catch.hpp"

namespace {

TEST_CASE("Allocator serves buffers that name it, and tells what it has") {
  const collet::Stream stream;
  const collet::Allocator allocator(stream.device(), {.name = "test"});
  {
    const collet::Buffer buffer = stream.allocate(5000, {.tag = "values", .allocator = &allocator});
    CHECK(allocator.statistics().requested_bytes.current == 5000);
    CHECK(allocator.report().find("values") != std::string::npos);
    CHECK(allocator.report(COLLET_REPORT_JSON).find("\"allocator\": \"test\"") !=
          std::string::npos);
  }
  CHECK(allocator.statistics().requested_bytes.current == 0);
  CHECK(allocator.statistics().requested_bytes.peak == 5000);
  allocator.reset_peaks();
  CHECK(allocator.statistics().requested_bytes.peak == 0);
  CHECK(allocator.trim() > 0);
  CHECK(allocator.trim(std::chrono::milliseconds(1)) == 0);
  CHECK(allocator.statistics().reserved_bytes.current == 0);
}

TEST_CASE("Allocator has a limit, which an exception names") {
  const collet::Stream stream;
  const collet::Allocator allocator(stream.device(), {.limit_bytes = 1 << 20});
  try {
    stream.allocate(2 << 20, {.allocator = &allocator});
    FAIL("more than the limit was allocated");
  } catch (const collet::Error& error) {
    CHECK(error.status() == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(std::string(error.what()).find("the limit of 1.00 MiB") != std::string::npos);
  }
  allocator.set_limit(0);
  CHECK(stream.allocate(2 << 20, {.allocator = &allocator}).size_bytes() == 2 << 20);
}

TEST_CASE("Allocator of a device serves what names none") {
  const collet::Stream stream;
  const collet::Allocator own = collet::Allocator::of(stream.device());
  const std::uint64_t before = own.statistics().buffers.current;
  const collet::Buffer buffer = stream.allocate(64);
  CHECK(own.statistics().buffers.current == before + 1);
}

TEST_CASE("Allocator without a pool gives memory back with its buffers") {
  const collet::Stream stream;
  const collet::Allocator allocator(stream.device(), {.unpooled = true});
  stream.allocate(100, {.allocator = &allocator});
  CHECK(allocator.statistics().reserved_bytes.current == 0);
  CHECK(allocator.statistics().segments.total == 1);
}

TEST_CASE("Allocator of the device's own pool says why there is none") {
  const collet::Stream stream;
  try {
    const collet::Allocator allocator(stream.device(), {.native = true});
    stream.allocate(100, {.allocator = &allocator});
    CHECK(allocator.statistics().reserved_bytes.current == 0);
    CHECK(allocator.report().find("pool=native") != std::string::npos);
  } catch (const collet::Error& error) {
    CHECK(error.status() == COLLET_ERROR_UNSUPPORTED);
    CHECK(std::string(error.what()).find("no pool of its own") != std::string::npos);
  }
  CHECK_THROWS_AS(collet::Allocator(stream.device(), {.unpooled = true, .native = true}),
                  collet::Error);
}

}  // namespace
