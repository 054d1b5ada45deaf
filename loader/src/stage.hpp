// SPDX-License-Identifier: Apache-2.0
// Work that is done once in a process, by one thread, while others wait for it.
#pragma once

#include <atomic>
#include <utility>

namespace collet::loader {

// Unlike a mutex or std::call_once, nothing is locked while the work is done: what it calls may
// come back by another thread, and may be abandoned by an exception.
class Stage {
 public:
  // True: the caller does the work, and then calls end() or abandon(). False: it is done. Waits
  // while another thread does it.
  bool begin() noexcept {
    for (;;) {
      if (done()) {
        return false;
      }
      if (try_begin()) {
        return true;
      }
      wait();
    }
  }

  // The same without waiting: false also while another thread does it.
  bool try_begin() noexcept {
    int expected = kIdle;
    return state_.compare_exchange_strong(expected, kWorking, std::memory_order_acq_rel);
  }

  // Returns when no thread works on it.
  void wait() const noexcept { state_.wait(kWorking, std::memory_order_acquire); }

  void end() noexcept { leave(kDone); }
  void abandon() noexcept { leave(kIdle); }

  [[nodiscard]] bool done() const noexcept {
    return state_.load(std::memory_order_acquire) == kDone;
  }

 private:
  static constexpr int kIdle = 0;
  static constexpr int kWorking = 1;
  static constexpr int kDone = 2;

  void leave(int state) noexcept {
    state_.store(state, std::memory_order_release);
    state_.notify_all();
  }

  std::atomic<int> state_{kIdle};
};

// A stage's work that has begun; abandoned if it is left by an exception.
class StageWork {
 public:
  explicit StageWork(Stage& stage) noexcept : stage_(&stage) {}
  ~StageWork() {
    if (stage_ != nullptr) {
      stage_->abandon();
    }
  }
  StageWork(StageWork&& other) noexcept : stage_(std::exchange(other.stage_, nullptr)) {}
  StageWork(const StageWork&) = delete;
  StageWork& operator=(const StageWork&) = delete;

  void end() noexcept { std::exchange(stage_, nullptr)->end(); }

 private:
  Stage* stage_;
};

}  // namespace collet::loader
