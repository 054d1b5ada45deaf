// SPDX-License-Identifier: Apache-2.0
#include "concurrency.hpp"

#include <exception>
#include <future>
#include <latch>
#include <thread>
#include <vector>

namespace collet::conformance {

void expect_return(const std::function<void()>& body, std::string_view otherwise, Place place) {
  std::packaged_task<void()> task(body);
  std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  if (done.wait_for(patience()) != std::future_status::ready) {
    // It cannot be stopped; the process ends soon.
    thread.detach();
    fail(std::string(otherwise), place);
  }
  thread.join();
  done.get();
}

void run_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::latch start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::exception_ptr> ends(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        body(i);
      } catch (...) {
        ends[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& end : ends) {
    if (end) std::rethrow_exception(end);
  }
}

}  // namespace collet::conformance
