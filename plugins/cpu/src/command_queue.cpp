// SPDX-License-Identifier: Apache-2.0
#include "command_queue.hpp"

#include <memory>

namespace collet::cpu {
namespace {

using plugin::now_ns;

/**
 * How long the worker leaves commands to a thread that may be about to wait for them: to run them
 * where they were enqueued is cheaper than to pass them from processor to processor. And where they
 * come one after the other, what has stayed is no longer being written.
 */
constexpr std::int64_t kStaysNs = 2'000;
/** After so many times in a row that a waiting thread has helped, the next one is expected to. */
constexpr unsigned kHabit = 8;
/** How often a worker that dozes looks: what work waits for at most that nobody waits for. */
constexpr std::uint64_t kDozeNs = 200'000;
/** How long it dozes without work before it sleeps until it is woken. */
constexpr std::int64_t kDozesForNs = 10'000'000;
/** Slots that are kept to be used again. */
constexpr std::uint64_t kKeptSlots = 1024;

}  // namespace

CommandQueue::CommandQueue(Progress& progress)
    : progress_(progress),
      oldest_(new Slot),
      seen_consumed_(oldest_),
      last_(oldest_),
      consumed_(oldest_) {}

CommandQueue::~CommandQueue() {
  while (oldest_ != nullptr) {
    const std::unique_ptr<Slot> slot(oldest_);
    oldest_ = slot->next.load(std::memory_order_relaxed);
  }
  delete spare_;
}

CommandQueue::Slot& CommandQueue::spare() {
  if (spare_ != nullptr) return *spare_;
  // Looked at seldom, because the runner writes it with each command.
  if (oldest_ == seen_consumed_) seen_consumed_ = consumed_.load(std::memory_order_acquire);
  spare_ = oldest_ == seen_consumed_ ? new Slot : take_oldest();
  // What a long queue has left over goes step by step.
  if (oldest_->position + kKeptSlots < seen_consumed_->position) delete take_oldest();
  return *spare_;
}

CommandQueue::Slot* CommandQueue::take_oldest() noexcept {
  return std::exchange(oldest_, oldest_->next.load(std::memory_order_relaxed));
}

std::uint64_t CommandQueue::append_spare() noexcept {
  Slot* const added = std::exchange(spare_, nullptr);
  added->position = progress_.issue();
  added->next.store(nullptr, std::memory_order_relaxed);
  last_->next.store(added, std::memory_order_release);
  last_ = added;
  return added->position;
}

CommandQueue::Slot* CommandQueue::next_up_to(std::uint64_t greatest) const noexcept {
  Slot* const next =
      consumed_.load(std::memory_order_relaxed)->next.load(std::memory_order_acquire);
  return next != nullptr && next->position <= greatest ? next : nullptr;
}

void CommandQueue::leave() noexcept {
  has_runner_.store(false);
  if (!progress_.is_idle() || closed_.load()) work_.notify();
}

void CommandQueue::close() noexcept {
  closed_.store(true);
  work_.notify();
}

bool CommandQueue::wait_for_work() noexcept {
  // What came while the last commands ran has stayed since then.
  for (std::int64_t since = began_ns_;; since = now_ns()) {
    if (!is_to_run()) {
      if (!doze()) sleep();
      since = now_ns();
    }
    if (!is_taken_soon(since)) break;
  }
  began_ns_ = now_ns();
  return !progress_.is_idle() || !closed_.load();
}

bool CommandQueue::is_to_run() const noexcept {
  return (!progress_.is_idle() || closed_.load()) && !has_runner_.load();
}

void CommandQueue::sleep() noexcept {
  const std::uint64_t issued = progress_.issued();
  work_.wait([&] { return is_to_run() || progress_.issued() != issued; },
             plugin::Deadline::never());
}

bool CommandQueue::doze() noexcept {
  if (helped_in_a_row_.load(std::memory_order_relaxed) < kHabit) return false;
  dozes_.store(true);
  bool found = false;
  std::uint64_t seen = progress_.issued();
  for (std::int64_t end = now_ns() + kDozesForNs; !found && now_ns() < end;) {
    found = work_.wait([this] { return is_to_run(); }, plugin::Deadline::after(kDozeNs), 0);
    const std::uint64_t issued = progress_.issued();
    if (issued != seen) end = now_ns() + kDozesForNs;
    seen = issued;
  }
  // From here on it is told; what has been appended before, it sees by itself.
  dozes_.store(false);
  return found;
}

bool CommandQueue::is_taken_soon(std::int64_t since) const noexcept {
  const std::int64_t end = since + plugin::kSpinNs;
  bool has_wakers = false;
  do {
    // Who has appended it may still be on the way back from waking this thread.
    has_wakers = wakers_.load() > 0;
    // Who looks meanwhile takes the cache lines away that others write.
    for (since += kStaysNs; now_ns() < since;) plugin::relax();
  } while (has_wakers && since < end);
  return !is_to_run();
}

void CommandQueue::tell_worker() noexcept {
  // One that dozes looks by itself.
  if (dozes_.load()) return;
  const unsigned wakers = work_.has_sleepers() ? 1 : 0;
  if (wakers > 0) wakers_.fetch_add(wakers);
  work_.notify();
  if (wakers > 0) wakers_.fetch_sub(wakers);
}

}  // namespace collet::cpu
