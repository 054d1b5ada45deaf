// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <semaphore>
#include <thread>

#include "harness.hpp"

namespace collet::bench {

// Runs batches on two threads at once: the caller's, and one that is started once and sleeps
// between, so that what is timed is not the start of a thread.
class SecondThread {
 public:
  explicit SecondThread(Batch batch);
  ~SecondThread();
  SecondThread(const SecondThread&) = delete;
  SecondThread& operator=(const SecondThread&) = delete;

  // Makes as many calls of its batch as `beside` makes here, waits for both, and throws what either
  // throws. Refers to this object.
  [[nodiscard]] Batch together_with(Batch beside);

 private:
  void serve();

  Batch batch_;
  std::uint64_t calls_ = 0;
  bool is_last_ = false;
  std::exception_ptr failure_;
  std::binary_semaphore asked_{0};
  std::binary_semaphore done_{0};
  std::thread thread_;
};

}  // namespace collet::bench
