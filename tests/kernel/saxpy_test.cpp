// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::KernelShape;
using collet::test::line;
using collet::test::line_of;
using collet::test::Runner;
using collet::test::runners;

namespace {

std::vector<float> ramp(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 1000) * step;
  return values;
}

// No multiply-add is contracted, so the bits are those of two roundings.
std::vector<float> reference(float a, const std::vector<float>& x, std::vector<float> y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const volatile float product = a * x[i];
    y[i] = product + y[i];
  }
  return y;
}

void check_saxpy(Runner& runner, const std::string& kernel, std::size_t count,
                 const KernelShape& shape) {
  INFO(runner.name() << ": " << kernel << " of " << count << " with " << shape.groups[0]
                     << " groups of " << shape.items[0]);
  const std::vector<float> x = ramp(count, 0.37F);
  std::vector<float> y = ramp(count, -1.13F);
  const std::vector<float> expected = reference(0.73F, x, y);
  runner.launch("saxpy", kernel, shape, {x, y, 0.73F, std::uint64_t{count}});
  CHECK((y == expected));
}

TEST_CASE("saxpy has the bits of a multiplication and an addition") {
  for (const auto& runner : runners()) {
    for (const std::size_t count : {1U, 2U, 127U, 128U, 129U, 1000U, 4096U}) {
      check_saxpy(*runner, "saxpy", count, line_of(count, 64));
      check_saxpy(*runner, "saxpy_sized", count, line_of(count, 128));
      check_saxpy(*runner, "saxpy_guarded", count, line_of(count, 64));
    }
  }
}

TEST_CASE("an each-loop covers its range with any grid, and with none of it") {
  for (const auto& runner : runners()) {
    for (const std::size_t count : {0U, 1U, 63U, 65U, 1001U}) {
      for (const std::size_t groups : {1U, 2U, 3U, 40U}) {
        check_saxpy(*runner, "saxpy", count, line(groups, 16));
        check_saxpy(*runner, "saxpy", count, line(groups, 7));
        check_saxpy(*runner, "saxpy_sized", count, line(groups, 128));
      }
    }
  }
}

}  // namespace
