// SPDX-License-Identifier: Apache-2.0
#include "second_thread.hpp"

#include <utility>

namespace collet::bench {

SecondThread::SecondThread(Batch batch) : batch_(std::move(batch)), thread_([this] { serve(); }) {}

SecondThread::~SecondThread() {
  is_last_ = true;
  asked_.release();
  thread_.join();
}

Batch SecondThread::together_with(Batch beside) {
  return [this, beside = std::move(beside)](std::uint64_t calls) {
    calls_ = calls;
    asked_.release();
    beside(calls);
    done_.acquire();
    if (failure_) std::rethrow_exception(failure_);
  };
}

void SecondThread::serve() {
  for (;;) {
    asked_.acquire();
    if (is_last_) return;
    try {
      batch_(calls_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    done_.release();
  }
}

}  // namespace collet::bench
