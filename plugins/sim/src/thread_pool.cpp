// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

#include <collet/sdk/host.hpp>
#include <collet/sdk/thread.hpp>
#include <exception>

#include "stream.hpp"

namespace collet::sim {

bool ThreadPool::execute(const Ref<Stream>& stream) noexcept {
  const std::lock_guard lock(mutex_);
  // Each idle thread will take one of those that wait.
  if (idle_ <= waiting_count_) {
    try {
      plugin::start_thread("collet-sim-call", [this] { worker(); });
    } catch (const std::exception& e) {
      plugin::host().log(COLLET_LOG_WARN, e.what());
      return false;
    }
  }
  waiting_.push(stream);
  ++waiting_count_;
  work_.notify_one();
  return true;
}

void ThreadPool::worker() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (waiting_.empty()) {
      if (idle_ == kMostIdle) return;
      ++idle_;
      work_.wait(lock);
      --idle_;
    }
    const Ref<Stream> stream = waiting_.pop();
    --waiting_count_;
    lock.unlock();
    stream->execute();
    lock.lock();
  }
}

}  // namespace collet::sim
