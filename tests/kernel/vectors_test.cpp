// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::line;
using collet::test::line_of;
using collet::test::Runner;
using collet::test::runners;

namespace {

template <class T>
void check_vectors(Runner& runner, const std::string& word, std::size_t lanes, std::size_t count) {
  INFO(runner.name() << ": " << count << " vectors of " << lanes << " " << word);
  constexpr std::size_t kShift = 1;
  std::vector<T> x(count * lanes + kShift);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 3 + 1);
  std::vector<T> y(x.size(), T{0});
  std::vector<T> shifted(x.size(), T{0});
  runner.launch("vectors", "reverse_" + word + std::to_string(lanes), line_of(count + 1, 8),
                {std::as_const(x), y, shifted, static_cast<int>(kShift), std::uint64_t{count}});

  std::vector<T> reversed(x.size(), T{0});
  for (std::size_t i = 0; i < count * lanes; ++i) {
    reversed[i] = x[i / lanes * lanes + lanes - 1 - i % lanes] * T{2};
  }
  std::vector<T> moved = x;
  moved[0] = T{0};
  if (count == 0) moved.assign(moved.size(), T{0});
  CHECK((y == reversed));
  CHECK((shifted == moved));
}

TEST_CASE("vectors are loaded, calculated with and stored, and from anywhere where that is said") {
  for (const auto& runner : runners()) {
    for (const std::size_t lanes : {2U, 4U, 8U, 16U}) {
      for (const std::size_t count : {0U, 1U, 9U}) {
        check_vectors<float>(*runner, "float", lanes, count);
        check_vectors<std::int32_t>(*runner, "int32", lanes, count);
        check_vectors<std::uint32_t>(*runner, "uint32", lanes, count);
      }
    }
  }
}

TEST_CASE("functions take pointers into either memory, and tables hold constants") {
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<float> x(2 * 64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    std::vector<float> y(x.size(), -1);
    runner->launch("vectors", "through_local", line(2, 16), {std::as_const(x), y});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t item = i % 64 / 4;
      const float from = x[i / 64 * 64 + (15 - item) * 4 + i % 4];
      CHECK(y[i] == from / 2 - (item % 2 == 0 ? 0.5F : -2.0F));
    }
  }
}

}  // namespace
