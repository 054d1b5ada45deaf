// SPDX-License-Identifier: Apache-2.0
#include "command_queue.hpp"

#include <utility>

namespace collet::cpu {

CommandQueue::~CommandQueue() {
  while (take_batch(UINT64_MAX)) {
    while (pop()) {
    }
  }
}

std::unique_ptr<Command> CommandQueue::take_first(std::uint64_t greatest) noexcept {
  const std::lock_guard lock(mutex_);
  if (has_runner_.load() || !take_batch(greatest)) return nullptr;
  has_runner_.store(true);
  return pop();
}

std::unique_ptr<Command> CommandQueue::take_next(std::uint64_t greatest) noexcept {
  if (std::unique_ptr<Command> next = pop()) return next;
  {
    const std::lock_guard lock(mutex_);
    if (take_batch(greatest)) return pop();
    has_runner_.store(false);
    if (first_ == nullptr && !closed_.load()) return nullptr;
  }
  work_.notify();
  return nullptr;
}

bool CommandQueue::wait_for_work() noexcept {
  work_.wait([this] { return empty_.load() ? closed_.load() : !has_runner_.load(); },
             plugin::Deadline::never());
  return !empty_.load() || !closed_.load();
}

void CommandQueue::close() noexcept {
  closed_.store(true);
  work_.notify();
}

void CommandQueue::append(std::unique_ptr<Command> command, std::uint64_t position) noexcept {
  Command* const added = command.release();
  added->position_ = position;
  (last_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
  empty_.store(false);
}

bool CommandQueue::take_batch(std::uint64_t greatest) noexcept {
  if (first_ == nullptr || first_->position_ > greatest) return false;
  Command* last = last_;
  if (last->position_ > greatest) {
    last = first_;
    while (last->next_->position_ <= greatest) last = last->next_;
  }
  batch_ = std::exchange(first_, std::exchange(last->next_, nullptr));
  if (first_ == nullptr) {
    last_ = nullptr;
    empty_.store(true);
  }
  return true;
}

std::unique_ptr<Command> CommandQueue::pop() noexcept {
  if (batch_ == nullptr) return nullptr;
  return std::unique_ptr<Command>(std::exchange(batch_, batch_->next_));
}

}  // namespace collet::cpu
