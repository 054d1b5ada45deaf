// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <algorithm>
#include <collet/sdk/error.hpp>

#include "device.hpp"
#include "engine.hpp"

namespace collet::sim {
namespace {

using plugin::Error;
using plugin::make_ref;

class WaitCommand final : public Command {
 public:
  explicit WaitCommand(Ref<Record> record) noexcept
      : Command({"wait_event"}), record_(std::move(record)) {}

  void run(const Failure*) override {
    if (record_) record_->throw_if_failed();
  }
  [[nodiscard]] const Record* awaited() const noexcept override { return record_.get(); }

 private:
  Ref<Record> record_;
};

}  // namespace

Stream::Stream(Device& device, const collet_stream_desc_t& desc)
    : device_(device),
      engine_(device.engine()),
      label_(desc.label == nullptr ? "" : desc.label),
      spare_failure_(make_ref<Failure>()) {}

// ---- enqueuing ---------------------------------------------------------------------------------

std::uint64_t Stream::push(std::unique_ptr<Command> command) {
  command->annotation_ = annotation_.get();
  std::uint64_t ticket = 0;
  bool had_turn = false;
  {
    const std::lock_guard lock(mutex_);
    throw_if_failed();
    ticket = issued_.load() + 1;
    command->ticket_ = ticket;
    queue_.push_back(std::move(command));
    issued_.store(ticket);
    had_turn = std::exchange(has_turn_, true);
  }
  if (!had_turn) engine_.make_ready(Ref<Stream>(this));
  return ticket;
}

void Stream::push_and_wait(std::unique_ptr<Command> command, const Deadline& deadline) {
  const std::uint64_t ticket = push(std::move(command));
  if (!wait_for(ticket - 1, deadline) && take_back(ticket)) throw_timeout();
  wait_for(ticket, Deadline::never());
  throw_if_failed();
}

bool Stream::take_back(std::uint64_t ticket) noexcept {
  std::unique_ptr<Command> taken;
  {
    const std::lock_guard lock(mutex_);
    const auto is_it = [ticket](const auto& command) { return command->ticket_ == ticket; };
    const auto place = std::find_if(queue_.begin(), queue_.end(), is_it);
    if (place == queue_.end()) return false;
    taken = std::move(*place);
    queue_.erase(place);
    publish();
  }
  changed_.notify();
  return true;
}

Ref<Record> Stream::record() {
  Ref<Record> record = make_ref<Record>(*this);
  record->ticket_ = push(make_command<Code::kPlugin>(
      {"record"}, [record, &clock = engine_.clock()](const Failure* upstream) {
        record->time_ns_ = clock.now_ns();
        record->failure_ = Ref<const Failure>(upstream);
      }));
  return record;
}

void Stream::wait_for_record(Ref<Record> record) {
  push(std::make_unique<WaitCommand>(std::move(record)));
}

// ---- running -----------------------------------------------------------------------------------

const Command* Stream::begin() noexcept {
  const std::lock_guard lock(mutex_);
  if (current_) return current_.get();
  has_turn_ = !queue_.empty();
  if (!has_turn_) return nullptr;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  begun_ = current_->ticket_;
  ++sequence_;
  return current_.get();
}

bool Stream::is_held() noexcept {
  const Record* const record = current_->awaited();
  return record != nullptr && failure_.empty() &&
         record->stream_->hold(record->ticket_, Ref<Stream>(this));
}

bool Stream::hold(std::uint64_t ticket, Ref<Stream> waiting) noexcept {
  const std::lock_guard lock(mutex_);
  if (reached(ticket)) return false;
  held_.push(std::move(waiting));
  return true;
}

void Stream::execute() noexcept {
  const Ref<Failure> upstream = failure_.get();
  Ref<Failure> failed;
  if (!upstream || current_->runs_always()) {
    try {
      current_->run(upstream.get());
    } catch (...) {
      if (!upstream) {
        failed = std::move(spare_failure_);
        failed->note(current_->info(), sequence_, current_->annotation_.get());
      }
    }
  }
  complete(std::move(failed));
}

void Stream::complete(Ref<Failure> failed) noexcept {
  current_.reset();
  bool has_turn = false;
  {
    const std::lock_guard lock(mutex_);
    if (failed) failure_.set(std::move(failed));
    begun_ = 0;
    publish();
    has_turn = has_turn_ = !queue_.empty();
  }
  changed_.notify();
  if (has_turn) engine_.make_ready(Ref<Stream>(this));
}

void Stream::publish() noexcept {
  std::uint64_t first_incomplete = issued_.load() + 1;
  if (begun_ != 0) {
    first_incomplete = begun_;
  } else if (!queue_.empty()) {
    first_incomplete = queue_.front()->ticket_;
  }
  completed_.store(first_incomplete - 1, std::memory_order_release);

  StreamList still_held;
  while (Ref<Stream> waiting = held_.pop()) {
    if (waiting->current_->awaited()->is_complete()) {
      Engine& engine = waiting->engine_;
      engine.make_ready(std::move(waiting));
    } else {
      still_held.push(std::move(waiting));
    }
  }
  while (Ref<Stream> waiting = still_held.pop()) held_.push(std::move(waiting));
}

// ---- waiting -----------------------------------------------------------------------------------

collet_status_t Stream::query() const {
  throw_if_failed();
  return reached(issued_.load()) ? COLLET_OK : COLLET_NOT_READY;
}

void Stream::synchronize(const Deadline& deadline) {
  if (!wait_for(issued_.load(), deadline)) throw_timeout();
  throw_if_failed();
}

// ---- failing -----------------------------------------------------------------------------------

void Stream::throw_if_failed() const {
  if (const Ref<Failure> failure = failure_.get()) {
    failure->raise(name() + " has failed, and must be reset to be used again: command " +
                   std::to_string(failure->sequence) + ", ");
  }
}

void Stream::throw_timeout() const {
  throw Error(COLLET_ERROR_TIMEOUT, name() + " still has commands to complete; nothing is lost");
}

std::string Stream::name() const {
  return label_.empty() ? "the stream" : "the stream \"" + label_ + "\"";
}

void Stream::reset() {
  Ref<Failure> spare = make_ref<Failure>();
  for (;;) {
    wait_for(issued_.load(), Deadline::never());
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) return;
    // A command may have come in just before the failure.
    if (!reached(issued_.load())) continue;
    spare_failure_ = std::move(spare);
    failure_.set({});
    return;
  }
}

void Stream::annotate(std::uint64_t correlation_id, const char* label) {
  annotation_.set(make_ref<Annotation>(correlation_id, label));
}

void Record::throw_if_failed() const {
  if (failure_) failure_->raise("the event was recorded on a stream that has failed: ");
}

}  // namespace collet::sim
