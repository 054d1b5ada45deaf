// SPDX-License-Identifier: Apache-2.0
#include <collet/collet.hpp>
#include <string>
#include <thread>
#include <type_traits>

#include "support/catch.hpp"

namespace {

collet::Error error_of_opening(const std::string& selector) {
  try {
    collet::Device::open(selector);
  } catch (const collet::Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

TEST_CASE("Error carries the whole record of the failed call") {
  const collet::Error error = error_of_opening("cpuu");
  const collet_error_t& record = *collet_last_error();
  CHECK(error.status() == COLLET_ERROR_NO_SUCH_DEVICE);
  CHECK(std::string(error.what()) == record.message);
  CHECK(error.function() == "collet_device_open");
  CHECK(error.backend() == record.backend);
  CHECK(error.native_name() == record.native_name);
  CHECK(error.native_code() == record.native_code);
}

TEST_CASE("Error outlives later failures and its thread, and copies without throwing") {
  STATIC_REQUIRE(std::is_nothrow_copy_constructible_v<collet::Error>);
  std::exception_ptr thrown;
  std::string message;
  std::thread([&] {
    const collet::Error error = error_of_opening("cpu:x");
    message = error.what();
    thrown = std::make_exception_ptr(error);
    CHECK_THROWS_AS(collet::Device::open("cpuu"), collet::Error);
  }).join();
  CHECK(!message.empty());
  CHECK_THROWS_WITH(std::rethrow_exception(thrown), message);
}

TEST_CASE("Error has the status's name where the thread's record is about something else") {
  collet_clear_error();
  const collet::Error error(COLLET_ERROR_OVERLAP);
  CHECK(error.status() == COLLET_ERROR_OVERLAP);
  CHECK(std::string(error.what()) == "COLLET_ERROR_OVERLAP");
  CHECK(error.function().empty());
}

TEST_CASE("check throws for errors only") {
  CHECK_NOTHROW(collet::check(COLLET_OK));
  CHECK_NOTHROW(collet::check(COLLET_NOT_READY));
  CHECK_THROWS_AS(collet::check(COLLET_ERROR_INTERNAL), collet::Error);
}

}  // namespace
