// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::line;
using collet::test::Runner;
using collet::test::runners;

namespace {

constexpr std::size_t kGroups = 6;
constexpr std::size_t kItems = 32;

// Whole numbers, so that sums of floats are exact in any order.
template <class T>
std::vector<T> whole_numbers(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<int>(i * 37 % 101) - (std::is_unsigned_v<T> ? 0 : 50));
  }
  return values;
}

template <class T>
bool is_among(const std::vector<T>& values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The values that the items of a group have met.
template <class T>
std::vector<T> values_of(const std::vector<T>& values, const std::vector<int>& group_of,
                         std::size_t group) {
  std::vector<T> met;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (group_of[i] == static_cast<int>(group)) met.push_back(values[i]);
  }
  return met;
}

// Cells with 100 before: the sum, the least, the greatest, and one of the values.
template <class T>
bool are_right(const T* cells, const std::vector<T>& met) {
  const T start = 100;
  const T least = met.empty() ? start : std::min(start, *std::min_element(met.begin(), met.end()));
  const T most = met.empty() ? start : std::max(start, *std::max_element(met.begin(), met.end()));
  return cells[0] == std::accumulate(met.begin(), met.end(), start) && cells[1] == least &&
         cells[2] == most && (met.empty() ? cells[3] == start : is_among(met, cells[3]));
}

template <class T>
void check_atomics(Runner& runner, const std::string& kernel, std::size_t count) {
  INFO(runner.name() << ": " << kernel << " of " << count);
  const std::vector<T> values = whole_numbers<T>(count);
  std::vector<T> cells(8, T{100});
  std::vector<T> group_cells(kGroups * 4, T{0});
  std::vector<int> group_of(count, -1);
  runner.launch("atomics", kernel, line(kGroups, kItems),
                {values, cells, group_cells, group_of, std::uint64_t{count}});
  CHECK(are_right(cells.data(), values));
  for (std::size_t group = 0; group < kGroups; ++group) {
    CHECK(are_right(&group_cells[group * 4], values_of(values, group_of, group)));
  }
}

TEST_CASE("atomics of all types lose nothing, in global and in local memory") {
  for (const auto& runner : runners()) {
    for (const std::size_t count : {0U, 1U, 33U, 5000U}) {
      check_atomics<std::int32_t>(*runner, "atomics_int32", count);
      check_atomics<std::uint32_t>(*runner, "atomics_uint32", count);
      check_atomics<float>(*runner, "atomics_float", count);
    }
  }
}

TEST_CASE("atomics of numbers beyond the other sign's range compare as their type does") {
  for (const auto& runner : runners()) {
    INFO(runner->name());
    const std::vector<std::uint32_t> large{0x80000000U, 0xffffffffU};
    std::vector<std::uint32_t> cells(8, 100);
    std::vector<std::uint32_t> group_cells(4, 0);
    std::vector<int> group_of(2, -1);
    runner->launch("atomics", "atomics_uint32", line(1, kItems),
                   {large, cells, group_cells, group_of, std::uint64_t{2}});
    CHECK(cells[1] == 100);
    CHECK(cells[2] == 0xffffffffU);

    const std::vector<float> numbers{-0.5F, std::numeric_limits<float>::quiet_NaN()};
    std::vector<float> float_cells(8, 100);
    std::vector<float> float_group_cells(4, 0);
    runner->launch("atomics", "atomics_float", line(1, kItems),
                   {numbers, float_cells, float_group_cells, group_of, std::uint64_t{2}});
    CHECK(std::isnan(float_cells[1]));
    CHECK(std::isnan(float_cells[2]));
  }
}

// Whether each number 1..n was written once, somewhere in the first n places.
bool are_tickets(std::vector<std::uint32_t> taken) {
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] != i + 1) return false;
  }
  return true;
}

TEST_CASE("an atomic gives the value before, once to each") {
  constexpr std::size_t kCount = 3000;
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<std::uint32_t> next(1, 0);
    std::vector<std::uint32_t> taken(kCount, 0);
    runner->launch("atomics", "tickets", line(kGroups, kItems),
                   {next, taken, std::uint64_t{kCount}});
    CHECK(next[0] == kCount);
    CHECK(are_tickets(taken));

    std::vector<float> float_next(1, 0);
    std::vector<std::uint32_t> float_taken(kCount, 0);
    runner->launch("atomics", "float_tickets", line(kGroups, kItems),
                   {float_next, float_taken, std::uint64_t{kCount}});
    CHECK(float_next[0] == kCount);
    CHECK(are_tickets(float_taken));

    std::vector<float> cell(1, -1);
    std::vector<float> got(kCount, 0);
    runner->launch("atomics", "chain", line(kGroups, kItems), {cell, got, std::uint64_t{kCount}});
    got.push_back(cell[0]);
    std::sort(got.begin(), got.end());
    std::vector<float> all(kCount + 1);
    std::iota(all.begin(), all.end(), -1.0F);
    CHECK((got == all));
  }
}

TEST_CASE("a compare-exchange succeeds for one of those who try") {
  constexpr std::size_t kCount = 600;
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<std::int32_t> slots(2 * kCount, 0);
    runner->launch("atomics", "claim", line(4, kItems), {slots, std::uint64_t{kCount}});
    std::vector<std::int32_t> owners;
    for (const std::int32_t slot : slots) {
      if (slot != 0) owners.push_back(slot);
    }
    std::sort(owners.begin(), owners.end());
    std::vector<std::int32_t> all(kCount);
    std::iota(all.begin(), all.end(), 1);
    CHECK((owners == all));
  }
}

TEST_CASE("a histogram counts every value") {
  for (const auto& runner : runners()) {
    for (const std::size_t count : {0U, 1U, 63U, 20000U}) {
      INFO(runner->name() << ": " << count << " values");
      std::vector<std::uint8_t> values(count);
      std::vector<std::uint32_t> expected(256, 0);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<std::uint8_t>(i * i % 251);
        ++expected[values[i]];
      }
      std::vector<std::uint32_t> counts(256, 0);
      runner->launch("histogram", "histogram", line(5, 64), {values, counts, std::uint64_t{count}});
      CHECK((counts == expected));
    }
  }
}

}  // namespace
