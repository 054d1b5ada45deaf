// SPDX-License-Identifier: Apache-2.0
// What a buffer takes, by the settings.
#include "pool/memory_settings.hpp"

#include "support/catch.hpp"

namespace collet::loader {
namespace {

constexpr std::uint64_t kUnit = 512;

std::uint64_t rounded(std::uint32_t divisions, std::uint64_t size_bytes) {
  MemorySettings settings;
  settings.divisions = divisions;
  return settings.rounded(size_bytes, kUnit);
}

}  // namespace

TEST_CASE("HOST-MEM-8 without divisions a size is rounded up to the unit") {
  CHECK(rounded(0, 0) == 512);
  CHECK(rounded(0, 1) == 512);
  CHECK(rounded(0, 512) == 512);
  CHECK(rounded(0, 513) == 1024);
  CHECK(rounded(0, (std::uint64_t{1} << 40) + 1) == (std::uint64_t{1} << 40) + 512);
}

TEST_CASE("HOST-MEM-8 one division rounds to powers of two, more of them to steps between") {
  for (const std::uint64_t power : {4096U, 65536U, 1U << 20, 1U << 30}) {
    INFO(power);
    CHECK(rounded(1, power) == power);
    CHECK(rounded(1, power + 1) == 2 * power);
    CHECK(rounded(1, 2 * power - 1) == 2 * power);
    CHECK(rounded(2, power + 1) == power + power / 2);
    CHECK(rounded(2, power + power / 2 + 1) == 2 * power);
    CHECK(rounded(4, power + 1) == power + power / 4);
    CHECK(rounded(4, power + power / 4) == power + power / 4);
    CHECK(rounded(4, power - 1) == power);
    CHECK(rounded(8, power + power / 2 + 1) == power + power / 2 + power / 8);
  }
}

TEST_CASE("HOST-MEM-8 a step is never smaller than the unit") {
  for (const std::uint32_t divisions : {1U, 2U, 4U, 8U, 64U}) {
    for (const std::uint64_t near :
         {kUnit * divisions - 1, kUnit * divisions, kUnit * divisions + 1}) {
      INFO(divisions << " divisions, size " << near);
      CHECK(rounded(divisions, near) % kUnit == 0);
      CHECK(rounded(divisions, near) >= near);
      CHECK(rounded(divisions, near) - near < kUnit + near / divisions);
    }
  }
}

TEST_CASE("HOST-MEM-8 a limit in percent is that of the device") {
  CHECK(MemoryLimit{80, 0}.of(1000) == 800);
  CHECK(MemoryLimit{1, 0}.of(99) == 0);
  CHECK(MemoryLimit{100, 0}.of(UINT64_MAX) == UINT64_MAX);
  CHECK(MemoryLimit{0, 7}.of(1000) == 7);
  CHECK(MemoryLimit{}.of(1000) == UINT64_MAX);
}

}  // namespace collet::loader
