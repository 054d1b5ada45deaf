// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <algorithm>
#include <chrono>
#include <collet/sdk/error.hpp>
#include <thread>

#include "check/run_checked.hpp"
#include "device.hpp"
#include "engine.hpp"

namespace collet::sim {
namespace {

using plugin::Error;
using plugin::make_ref;

class WaitCommand final : public Command {
 public:
  explicit WaitCommand(Ref<Record> record) noexcept
      : Command({Kind::kWaitEvent}), record_(std::move(record)) {}

  void run(const Failure*) override {
    if (record_) record_->throw_if_failed();
  }
  [[nodiscard]] const Record* awaited() const noexcept override { return record_.get(); }

 private:
  Ref<Record> record_;
};

class RecordCommand final : public Command {
 public:
  explicit RecordCommand(Ref<Record> record) noexcept
      : Command({Kind::kRecord}), record_(std::move(record)) {}

  void run(const Failure* upstream) override { record_->reach(upstream); }
  [[nodiscard]] bool runs_always() const noexcept override { return true; }
  [[nodiscard]] const Record* recorded() const noexcept override { return record_.get(); }

 private:
  Ref<Record> record_;
};

}  // namespace

Stream::Stream(Device& device, const collet_stream_desc_t& desc)
    : device_(device),
      engine_(device.engine()),
      label_(desc.label == nullptr ? "" : desc.label),
      timeline_(device.timeline()),
      lane_(timeline_ == nullptr ? nullptr : std::make_shared<Timeline::Lane>()),
      checker_(device.checker()),
      moment_(checker_ == nullptr ? nullptr : checker_->open_stream()),
      number_(device.next_stream_number()),
      demanded_(engine_.is_lazy() ? 0 : UINT64_MAX),
      spare_failure_(make_ref<Failure>()) {}

Stream::~Stream() {
  if (checker_ != nullptr) checker_->close_stream(*moment_, issued_.load());
}

// ---- enqueuing ---------------------------------------------------------------------------------

std::uint64_t Stream::push(std::unique_ptr<Command> command) {
  throw_if_failed();
  command->annotation_ = annotation_.get();
  command->fault_ = device_.note_call(command->work_.kind, command->work_.subject);
  std::uint64_t ticket = 0;
  bool had_turn = false;
  {
    const std::lock_guard lock(mutex_);
    throw_if_failed();
    ticket = issued_.load() + 1;
    command->ticket_ = ticket;
    put_on_timeline(*command);
    if (checker_ != nullptr) command->seen_ = checker_->seen();
    queue_.push_back(std::move(command));
    issued_.store(ticket);
    had_turn = std::exchange(has_turn_, true);
  }
  if (!had_turn) engine_.make_ready(Ref<Stream>(this));
  return ticket;
}

void Stream::put_on_timeline(const Command& command) {
  if (timeline_ == nullptr) return;
  const Record* const awaited = command.awaited();
  const Record* const recorded = command.recorded();
  timeline_->enqueue(lane_, {device_.index(), command.ticket_, command.work_,
                             command.fault_.delay_ns, awaited == nullptr ? nullptr : awaited->mark_,
                             recorded == nullptr ? nullptr : recorded->mark_});
}

void Stream::push_and_wait(std::unique_ptr<Command> command, const Deadline& deadline) {
  const std::uint64_t ticket = push(std::move(command));
  ++device_.counters().waits;
  demand(ticket);
  if (!await(ticket - 1, deadline, nullptr) && take_back(ticket)) throw_timeout();
  await(ticket, Deadline::never(), nullptr);
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
    if (timeline_ != nullptr) timeline_->take_back(*lane_, ticket);
    publish();
  }
  changed_.notify();
  return true;
}

Ref<Record> Stream::record() {
  Ref<Record> record = make_ref<Record>(*this);
  record->ticket_ = push(std::make_unique<RecordCommand>(record));
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
  // The record that keeps this stream may go as soon as the other stream has its turn back.
  const Ref<Stream> kept(this);
  {
    const std::lock_guard lock(mutex_);
    if (reached(ticket)) return false;
    held_.push(std::move(waiting));
  }
  demand(ticket);
  return true;
}

void Stream::execute() noexcept {
  Ref<Failure> upstream = failure_.get();
  Ref<Failure> failed;
  if (!upstream) {
    // Found by the command, but not its doing: one that runs always is told of it.
    failed = failure_of([this] { device_.throw_if_lost(); });
    upstream = failed;
  }
  if (checker_ != nullptr) watch_current(static_cast<bool>(upstream));
  if (!upstream) {
    failed = failure_of([this] { run_current(); });
    if (failed) ++device_.counters().failed;
  } else if (current_->runs_always()) {
    run_after(*upstream);
  }
  complete(std::move(failed));
}

void Stream::run_after(const Failure& upstream) noexcept {
  try {
    call_current(&upstream);
  } catch (...) {
    // The stream keeps its first failure.
  }
}

template <class Body>
Ref<Failure> Stream::failure_of(Body&& body) noexcept {
  try {
    body();
    return {};
  } catch (...) {
    Ref<Failure> failure = std::move(spare_failure_);
    failure->note(current_->work().info(), sequence_, current_->annotation_.get());
    return failure;
  }
}

void Stream::run_current() {
  const Fault& fault = current_->fault_;
  if (fault.delay_ns > 0 && timeline_ == nullptr) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(fault.delay_ns));
  }
  if (!fault.lose.empty()) {
    device_.lose(fault.lose);
    device_.throw_if_lost();
  }
  if (!fault.trap.empty()) throw_trap(fault.trap);
  call_current(nullptr);
  if (fault.is_corrupting) current_->corrupt();
  device_.counters().count(current_->work());
}

void Stream::watch_current(bool is_failed) {
  checker_->begin(*moment_, current_->ticket_, current_->seen_);
  // One that has failed has not waited.
  const Record* const awaited = is_failed ? nullptr : current_->awaited();
  if (awaited != nullptr) checker_->wait(*moment_, awaited->past_);
}

void Stream::call_current(const Failure* upstream) {
  if (checker_ == nullptr) return current_->run(upstream);
  const Work& work = current_->work();
  if (work.kind == Kind::kHostFunction) {
    checker_->enter_host(*moment_);
    current_->run(upstream);
    checker_->leave_host(*moment_);
    return;
  }
  const Annotation* const annotation = current_->annotation_.get();
  const std::string name = label_.empty() ? std::to_string(number_) : "\"" + label_ + "\"";
  run_checked({*checker_, *moment_, work, device_.counters().conflicts},
              {.kind = work.kind,
               .subject = work.subject,
               .stream = "stream " + name + " of " + device_.name(),
               .sequence = sequence_,
               .label = annotation == nullptr ? "" : annotation->label},
              [&] { current_->run(upstream); });
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
    const Record& awaited = *waiting->current_->awaited();
    if (awaited.stream_->reached(awaited.ticket_)) {
      Engine& engine = waiting->engine_;
      engine.make_ready(std::move(waiting));
    } else {
      still_held.push(std::move(waiting));
    }
  }
  while (Ref<Stream> waiting = still_held.pop()) held_.push(std::move(waiting));
}

// ---- waiting -----------------------------------------------------------------------------------

void Stream::demand(std::uint64_t ticket) noexcept {
  if (raise_demand(ticket)) engine_.choose_again();
}

bool Stream::raise_demand(std::uint64_t ticket) noexcept {
  std::uint64_t seen = demanded_.load();
  while (seen < ticket && !demanded_.compare_exchange_weak(seen, ticket)) {
  }
  return seen < ticket;
}

bool Stream::ask(std::uint64_t ticket, const Record* record) noexcept {
  if (!reached(ticket)) {
    demand(ticket);
    return false;
  }
  note_observed(ticket, record);
  return true;
}

void Stream::note_observed(std::uint64_t ticket, const Record* record) noexcept {
  if (timeline_ != nullptr) timeline_->observe(*lane_, ticket);
  if (checker_ == nullptr) return;
  record == nullptr ? checker_->see(*moment_, ticket) : checker_->see(record->past_);
}

bool Stream::wait_for(std::uint64_t ticket, const Deadline& deadline,
                      const Record* record) noexcept {
  if (ask(ticket, record)) return true;
  ++device_.counters().waits;
  return await(ticket, deadline, record);
}

bool Stream::await(std::uint64_t ticket, const Deadline& deadline, const Record* record) noexcept {
  if (!changed_.wait([&] { return reached(ticket); }, deadline)) return false;
  note_observed(ticket, record);
  return true;
}

collet_status_t Stream::query() {
  throw_if_failed();
  return ask(issued_.load()) ? COLLET_OK : COLLET_NOT_READY;
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
  device_.throw_if_lost();
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
    device_.throw_if_lost();
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

Record::Record(Stream& stream)
    : stream_(&stream),
      mark_(stream.timeline_ == nullptr ? nullptr : std::make_shared<Timeline::Mark>()) {}

void Record::reach(const Failure* upstream) noexcept {
  time_ns_ = plugin::now_ns();
  failure_ = Ref<const Failure>(upstream);
  if (stream_->checker_ != nullptr) past_ = stream_->checker_->past_of(*stream_->moment_);
}

std::int64_t Record::time_ns() const {
  return mark_ == nullptr ? time_ns_ : stream_->timeline_->time_ns(*mark_);
}

void Record::throw_if_failed() const {
  if (failure_) failure_->raise("the event was recorded on a stream that has failed: ");
}

}  // namespace collet::sim
