// SPDX-License-Identifier: Apache-2.0
#include "command_queue.hpp"

namespace collet::cpu {

CommandQueue::~CommandQueue() {
  while (first_ != nullptr) pop();
}

std::unique_ptr<Command> CommandQueue::take_first(std::uint64_t greatest) noexcept {
  const std::lock_guard lock(mutex_);
  if (has_runner_.load() || first_ == nullptr || first_->position_ > greatest) return nullptr;
  has_runner_.store(true);
  return pop();
}

std::unique_ptr<Command> CommandQueue::take_next(std::uint64_t greatest) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (first_ != nullptr && first_->position_ <= greatest) return pop();
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

std::unique_ptr<Command> CommandQueue::pop() noexcept {
  Command* const taken = first_;
  first_ = taken->next_;
  if (first_ == nullptr) {
    last_ = nullptr;
    empty_.store(true);
  }
  return std::unique_ptr<Command>(taken);
}

}  // namespace collet::cpu
