// SPDX-License-Identifier: Apache-2.0
#include "quantity.hpp"

#include "support/catch.hpp"

namespace collet::sim {
namespace {

TEST_CASE("quantity a duration is a whole number with its unit") {
  CHECK(parse_duration_ns("0ns") == 0);
  CHECK(parse_duration_ns("7ns") == 7);
  CHECK(parse_duration_ns("250us") == 250'000);
  CHECK(parse_duration_ns("30ms") == 30'000'000);
  CHECK(parse_duration_ns("86400s") == 86'400'000'000'000);
}

TEST_CASE("quantity what is no duration, or longer than a day, is none") {
  for (const char* text : {"", "1", "s", "-1s", "+1s", " 1s", "1 s", "1.5s", "1S", "1m", "86401s",
                           "1sec", "18446744073709551616ns", "18446744073709551615s"}) {
    INFO(text);
    CHECK_FALSE(parse_duration_ns(text));
  }
}

TEST_CASE("quantity a rate is a whole number of bytes per second with its unit") {
  CHECK(parse_rate("1kB/s") == 1000U);
  CHECK(parse_rate("12MB/s") == 12'000'000U);
  CHECK(parse_rate("25GB/s") == 25'000'000'000U);
  CHECK(parse_rate("1000TB/s") == 1'000'000'000'000'000U);
}

TEST_CASE("quantity what is no rate, or nothing per second, is none") {
  for (const char* text : {"", "25", "25GB", "25GiB/s", "0GB/s", "-1GB/s", "GB/s", "1001TB/s",
                           "25gb/s", "25GB/s ", "18446744073709551615TB/s"}) {
    INFO(text);
    CHECK_FALSE(parse_rate(text));
  }
}

}  // namespace
}  // namespace collet::sim
