// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>
#include <vector>

namespace collet::test {

/** Calls `body(t)` for each t in [0, threads), each in a thread of its own, and waits for all. */
template <class Body>
void in_threads(int threads, Body&& body) {
  std::vector<std::thread> running;
  running.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) running.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : running) thread.join();
}

}  // namespace collet::test
