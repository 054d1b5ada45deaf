// SPDX-License-Identifier: Apache-2.0
#include "gate.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace collet::conformance {
namespace {

std::atomic<bool> is_one_shut{false};

}  // namespace

/** Shared with the host function, which may outlive the gate. */
struct Gate::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  bool is_reached = false;
};

Gate::Gate(const Stream& stream) : state_(std::make_shared<State>()) {
  if (is_one_shut.exchange(true)) inconclusive("the case shuts two gates at once");
  stream.then([state = state_](collet_status_t) {
    std::unique_lock lock(state->mutex);
    state->is_reached = true;
    state->changed.notify_all();
    state->changed.wait(lock, [&] { return state->is_open; });
  });
}

Gate::~Gate() { open(); }

void Gate::open() {
  const std::lock_guard lock(state_->mutex);
  if (state_->is_open) return;
  state_->is_open = true;
  state_->changed.notify_all();
  is_one_shut.store(false);
}

void Gate::wait_until_reached() const {
  std::unique_lock lock(state_->mutex);
  if (!state_->changed.wait_for(lock, patience(), [&] { return state_->is_reached; })) {
    lock.unlock();
    fail("a host function that nothing holds did not run");
  }
}

}  // namespace collet::conformance
