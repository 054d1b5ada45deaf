// SPDX-License-Identifier: Apache-2.0
#include "executor.hpp"

#include <atomic>
#include <deque>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/in_threads.hpp"

namespace collet::cpu {
namespace {

/** As the plugin's: it outlives its threads. */
Executor& executor(unsigned threads) {
  static auto& all = *new std::deque<Executor>();
  return all.emplace_back(threads);
}

TEST_CASE("executor: every part runs exactly once") {
  Executor& shared = executor(3);
  for (const std::uint64_t parts : {0U, 1U, 2U, 3U, 100U, 10'000U}) {
    std::vector<std::atomic<int>> calls(parts);
    shared.parallel_for(parts, [&](std::uint64_t part) { ++calls[part]; });
    bool is_right = true;
    for (const std::atomic<int>& times : calls) is_right = is_right && times == 1;
    CHECK(is_right);
  }
}

TEST_CASE("executor: ranges cover the whole without overlap, and keep the grain") {
  Executor& shared = executor(3);
  for (const std::uint64_t count : {0U, 1U, 5U, 63U, 64U, 65U, 1000U}) {
    for (const std::uint64_t grain : {0U, 1U, 64U, 5000U}) {
      std::vector<std::atomic<int>> calls(count);
      std::atomic<int> shorter{0};
      shared.parallel_ranges(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) ++calls[i];
        if (end - begin < grain && end != count) ++shorter;
      });
      bool is_right = shorter == 0;
      for (const std::atomic<int>& times : calls) is_right = is_right && times == 1;
      CHECK(is_right);
    }
  }
  std::atomic<std::uint64_t> sum{0};
  shared.parallel_ranges(UINT64_MAX, UINT64_MAX / 2,
                         [&](std::uint64_t begin, std::uint64_t end) { sum += end - begin; });
  CHECK(sum == UINT64_MAX);
}

TEST_CASE("executor: parts really run at the same time") {
  Executor& shared = executor(3);
  std::atomic<int> waiting{0};
  // Ends only if three threads are inside together.
  shared.parallel_for(3, [&](std::uint64_t) {
    ++waiting;
    while (waiting < 3) std::this_thread::yield();
  });
  CHECK(waiting == 3);
}

TEST_CASE("executor: a budget of one runs everything in the caller") {
  Executor& shared = executor(1);
  std::set<std::thread::id> threads;
  shared.parallel_for(50, [&](std::uint64_t) { threads.insert(std::this_thread::get_id()); });
  CHECK(threads == std::set<std::thread::id>{std::this_thread::get_id()});
  CHECK(executor(0).threads() == 1);
}

TEST_CASE("executor: a call inside a part runs serially") {
  Executor& shared = executor(3);
  std::atomic<int> calls{0};
  std::atomic<int> elsewhere{0};
  shared.parallel_for(6, [&](std::uint64_t) {
    const std::thread::id own = std::this_thread::get_id();
    shared.parallel_for(10, [&](std::uint64_t) {
      ++calls;
      if (std::this_thread::get_id() != own) ++elsewhere;
    });
  });
  CHECK(calls == 60);
  CHECK(elsewhere == 0);
}

TEST_CASE("executor: several callers do not block each other") {
  Executor& shared = executor(4);
  std::atomic<int> calls{0};
  test::in_threads(3, [&](int) {
    for (int i = 0; i < 200; ++i) shared.parallel_for(8, [&](std::uint64_t) { ++calls; });
  });
  CHECK(calls == 3 * 200 * 8);
}

TEST_CASE("executor: workers leave when callers alone use up the budget") {
  Executor& shared = executor(2);
  std::atomic<bool> is_first_inside{false};
  std::atomic<bool> is_second_done{false};
  std::thread first([&] {
    const std::thread::id own = std::this_thread::get_id();
    shared.parallel_for(100'000, [&](std::uint64_t) {
      if (std::this_thread::get_id() != own) return;
      is_first_inside = true;
      while (!is_second_done) std::this_thread::yield();
    });
  });
  while (!is_first_inside) std::this_thread::yield();
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  shared.parallel_for(1000, [&](std::uint64_t) {
    if (std::this_thread::get_id() != own) ++elsewhere;
    std::this_thread::yield();
  });
  is_second_done = true;
  first.join();
  CHECK(elsewhere == 0);
}

TEST_CASE("executor: an exception stops the parts that have not begun, and reaches the caller") {
  Executor& shared = executor(3);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls{0};
    CHECK_THROWS_WITH(shared.parallel_for(100'000,
                                          [&](std::uint64_t) {
                                            ++calls;
                                            throw std::runtime_error("part");
                                          }),
                      "part");
    CHECK(calls <= 3);
  }
  std::atomic<int> calls{0};
  shared.parallel_for(10, [&](std::uint64_t) { ++calls; });
  CHECK(calls == 10);
}

}  // namespace
}  // namespace collet::cpu
