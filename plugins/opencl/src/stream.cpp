// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <algorithm>
#include <chrono>
#include <collet/sdk/host.hpp>
#include <collet/sdk/thread.hpp>
#include <exception>
#include <thread>

#include "cl_error.hpp"
#include "device.hpp"

namespace collet::opencl {
namespace {

using plugin::Error;
using plugin::make_ref;

cl_int status_of(cl_event event) noexcept {
  cl_int status = CL_COMPLETE;
  const cl_int answer = icd().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                             sizeof(status), &status, nullptr);
  // An event that cannot be asked will never tell anything else.
  return answer == CL_SUCCESS ? status : answer;
}

/** OpenCL has no wait with a time-out: looks, ever more seldom. */
void poll_until(cl_event event, const Deadline& deadline) noexcept {
  constexpr std::chrono::microseconds kLongest{500};
  std::chrono::microseconds pause{10};
  const std::int64_t spin_end = plugin::now_ns() + plugin::kSpinNs;
  while (status_of(event) > CL_COMPLETE && !deadline.has_passed()) {
    if (plugin::now_ns() < spin_end) {
      plugin::relax();
      continue;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongest);
  }
}

constexpr auto kSubmitMark = [](cl_command_queue queue, cl_event* out_event) {
  check(icd().clEnqueueMarkerWithWaitList(queue, 0, nullptr, out_event),
        "clEnqueueMarkerWithWaitList");
};

Error failed_command(cl_int status) {
  const std::string name = cl_error_name(status);
  const bool is_lost = status == CL_DEVICE_NOT_AVAILABLE;
  return {is_lost ? COLLET_ERROR_DEVICE_LOST : COLLET_ERROR_COMMAND_FAILED, status, name,
          "the device ended it with " + name};
}

}  // namespace

Stream::Stream(Device& device, const collet_stream_desc_t& desc)
    : device_(device),
      label_(desc.label == nullptr ? "" : desc.label),
      priority_(desc.priority),
      queue_(device.make_queue(false, desc.priority)),
      spare_failure_(make_ref<Failure>()) {}

// ---- enqueuing ---------------------------------------------------------------------------------

std::uint64_t Stream::give(What what, const Call& call, Ref<Record> record) {
  const std::uint64_t position = issued_.load() + 1;
  // Its place first: there may be no memory for it once OpenCL has the command.
  in_flight_.push_back({position, {}, std::move(what), annotation_.get(), std::move(record)});
  cl_event event = nullptr;
  try {
    call.invoke(call.object, queue_.get(), &event);
  } catch (...) {
    in_flight_.pop_back();
    throw;
  }
  in_flight_.back().event = OwnedEvent(event);
  if (event != nullptr) static_cast<void>(icd().clFlush(queue_.get()));
  if (in_flight_.back().record) in_flight_.back().record->position_.store(position);
  issued_.store(position);
  pass(position);
  return position;
}

std::uint64_t Stream::hold_back(std::unique_ptr<Command> command) {
  if (!has_worker_) start_worker();
  const std::uint64_t position = issued_.load() + 1;
  command->position_ = position;
  command->annotation_ = annotation_.get();
  if (command->record_) command->record_->position_.store(position);
  held_back_.push_back(std::move(command));
  issued_.store(position);
  if (!is_holding_back_) {
    is_holding_back_ = true;
    has_work_.store(true);
    work_.notify();
  }
  return position;
}

void Stream::pass(std::uint64_t position) noexcept {
  given_.store(position);
  reap();
  changed_.notify();
}

Ref<Record> Stream::record(bool timed) {
  Ref<Record> record = make_ref<Record>(*this);
  const std::lock_guard lock(mutex_);
  throw_if_failed();
  if (is_holding_back_) {
    std::unique_ptr<Command> command = device_command({{"record"}, {}}, kSubmitMark);
    command->record_ = record;
    command->is_timed_ = timed;
    hold_back(std::move(command));
  } else {
    if (timed) measure();
    give({{"record"}, {}}, call_of(kSubmitMark), record);
  }
  return record;
}

void Stream::measure() {
  if (measures_ || !device_.abilities().has_clock) return;
  OwnedQueue next = device_.make_queue(true, priority_);
  // Whatever has no event is no command of the old queue.
  if (const OwnedEvent last = event_up_to(given_.load())) {
    cl_event awaited = last.get();
    check(icd().clEnqueueBarrierWithWaitList(next.get(), 1, &awaited, nullptr),
          "clEnqueueBarrierWithWaitList");
  }
  queue_before_ = std::exchange(queue_, std::move(next));
  measures_ = true;
}

void Stream::wait_for_record(Ref<Record> record) {
  const What what{{"wait_event"}, {}};
  // What was recorded on this stream is in order already.
  const bool is_own = record && &record->stream() == this;
  const bool is_done = !record || is_own || (record->is_complete() && !record->has_failed());
  if (is_done) {
    enqueue(what, [](cl_command_queue, cl_event*) {});
    return;
  }
  if (&record->stream().device() == &device_) {
    // Between two queues of one context OpenCL orders by itself.
    if (OwnedEvent event = record->stream().event_at(record->position())) {
      const auto shared = std::make_shared<OwnedEvent>(std::move(event));
      enqueue(what, [shared](cl_command_queue queue, cl_event* out_event) {
        cl_event awaited = shared->get();
        check(icd().clEnqueueBarrierWithWaitList(queue, 1, &awaited, out_event),
              "clEnqueueBarrierWithWaitList");
      });
      return;
    }
  }
  enqueue_host(what, false, [record = std::move(record)](const Failure*) {
    record->wait(Deadline::never());
    record->throw_if_failed();
  });
}

// ---- what is held back -------------------------------------------------------------------------

void Stream::start_worker() {
  // It has a reference of its own: it does what is left when the stream is destroyed.
  plugin::start_thread("collet-opencl", [self = Ref<Stream>(this)] { self->work(); });
  has_worker_ = true;
}

void Stream::work() noexcept {
  for (;;) {
    work_.wait([this] { return has_work_.load() || is_closed_.load(); }, Deadline::never());
    while (has_work_.load()) {
      Command* first = nullptr;
      {
        const std::lock_guard lock(mutex_);
        first = held_back_.front().get();
      }
      proceed(*first);
      std::unique_ptr<Command> done;
      const std::lock_guard lock(mutex_);
      done = std::move(held_back_.front());
      held_back_.pop_front();
      is_holding_back_ = !held_back_.empty();
      has_work_.store(is_holding_back_);
    }
    // Looked at in this order: what was held back before the stream was closed is still done.
    if (!is_closed_.load() || has_work_.load()) continue;
    wait_for(issued_.load(), Deadline::never());
    return;
  }
}

void Stream::proceed(Command& command) noexcept {
  if (command.runs_on_host()) {
    wait_for(command.position_ - 1, Deadline::never());
    run_on_host(command);
  } else {
    submit(command);
  }
}

void Stream::run_on_host(Command& command) noexcept {
  const Ref<Failure> upstream = failure_.get();
  std::exception_ptr thrown;
  if (!upstream || command.runs_always()) {
    try {
      command.run_on_host(upstream.get());
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  const std::lock_guard lock(mutex_);
  if (thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (...) {
      poison(command.what_, command.position_, command.annotation_.get());
    }
  }
  settle(command, {});
}

void Stream::submit(Command& command) noexcept {
  const std::lock_guard lock(mutex_);
  cl_event event = nullptr;
  if (failure_.empty()) {
    try {
      if (command.is_timed_) measure();
      command.submit(queue_.get(), &event);
      static_cast<void>(icd().clFlush(queue_.get()));
    } catch (...) {
      poison(command.what_, command.position_, command.annotation_.get());
    }
  }
  settle(command, OwnedEvent(event));
}

void Stream::settle(Command& command, OwnedEvent event) noexcept {
  in_flight_.push_back(
      {command.position_, std::move(event), command.what_, command.annotation_, command.record_});
  pass(command.position_);
}

// ---- completing --------------------------------------------------------------------------------

void Stream::reap() noexcept {
  bool has_changed = false;
  while (!in_flight_.empty()) {
    InFlight& first = in_flight_.front();
    const cl_int status = first.event ? status_of(first.event.get()) : CL_COMPLETE;
    if (status > CL_COMPLETE) break;
    finish(first, status);
    in_flight_.pop_front();
    has_changed = true;
  }
  if (has_changed) changed_.notify();
}

void Stream::finish(InFlight& command, cl_int status) noexcept {
  if (status < CL_COMPLETE) {
    try {
      throw failed_command(status);
    } catch (...) {
      poison(command.what, command.position, command.annotation.get());
    }
  }
  if (command.record) {
    command.record->reach(failure_.get().get(), measures_ ? command.event.get() : nullptr);
  }
  completed_.store(command.position, std::memory_order_release);
}

bool Stream::reached(std::uint64_t position) noexcept {
  if (completed_.load(std::memory_order_acquire) >= position) return true;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) reap();
  return completed_.load(std::memory_order_acquire) >= position;
}

OwnedEvent Stream::event_up_to(std::uint64_t position) noexcept {
  // NOLINTNEXTLINE(modernize-loop-convert): clang 14 does not compile libstdc++'s views
  for (auto command = in_flight_.rbegin(); command != in_flight_.rend(); ++command) {
    if (command->position <= position && command->event) return retained(command->event.get());
  }
  return {};
}

OwnedEvent Stream::event_at(std::uint64_t position) noexcept {
  const std::lock_guard lock(mutex_);
  reap();
  if (in_flight_.empty() || position < in_flight_.front().position || position > given_.load()) {
    return {};
  }
  return event_up_to(position);
}

bool Stream::wait_for(std::uint64_t position, const Deadline& deadline) noexcept {
  while (!reached(position)) {
    if (deadline.has_passed()) return false;
    if (given_.load() < position) {
      const auto is_given = [&] { return given_.load() >= position; };
      if (!changed_.wait(is_given, deadline)) return false;
      continue;
    }
    OwnedEvent awaited;
    {
      const std::lock_guard lock(mutex_);
      awaited = event_up_to(position);
    }
    if (!awaited) continue;
    cl_event event = awaited.get();
    // Whether it failed is seen when it is taken out of the line.
    if (deadline.is_never()) {
      static_cast<void>(icd().clWaitForEvents(1, &event));
    } else {
      poll_until(event, deadline);
    }
  }
  return true;
}

collet_status_t Stream::query() {
  const bool is_done = reached(issued_.load());
  throw_if_failed();
  return is_done ? COLLET_OK : COLLET_NOT_READY;
}

void Stream::synchronize(const Deadline& deadline) {
  wait_until_idle(deadline);
  throw_if_failed();
}

void Stream::wait_until_idle(const Deadline& deadline) {
  if (!wait_for(issued_.load(), deadline)) throw_timeout();
}

// ---- failing -----------------------------------------------------------------------------------

void Stream::throw_if_failed() const {
  const Ref<Failure> failure = failure_.get();
  if (!failure) return;
  failure->raise(name() + " has failed, and must be reset to be used again: command " +
                 std::to_string(failure->sequence) + ", ");
}

void Stream::throw_timeout() const {
  throw Error(COLLET_ERROR_TIMEOUT, name() + " still has commands to complete; nothing is lost");
}

std::string Stream::name() const {
  return label_.empty() ? "the stream" : "the stream \"" + label_ + "\"";
}

void Stream::poison(const What& what, std::uint64_t position,
                    const Annotation* annotation) noexcept {
  if (!failure_.empty()) return;
  Ref<Failure> failure = std::move(spare_failure_);
  failure->note(what.info, position, annotation);
  failure_.set(std::move(failure));
}

Ref<Failure> Stream::failure() noexcept {
  static_cast<void>(reached(issued_.load()));
  return failure_.get();
}

void Stream::reset() {
  Ref<Failure> spare = make_ref<Failure>();
  for (;;) {
    wait_for(issued_.load(), Deadline::never());
    const std::lock_guard lock(mutex_);
    const Ref<Failure> failure = failure_.get();
    if (!failure) return;
    if (failure->status == COLLET_ERROR_DEVICE_LOST) throw_if_failed();
    // A command may have come in just before the failure.
    if (completed_.load() != issued_.load()) continue;
    spare_failure_ = std::move(spare);
    failure_.set({});
    return;
  }
}

void Stream::annotate(std::uint64_t correlation_id, const char* label) {
  annotation_.set(make_ref<Annotation>(correlation_id, label));
}

void Stream::close() noexcept {
  {
    const std::lock_guard lock(mutex_);
    reap();
    if (!has_worker_ && !in_flight_.empty()) {
      // Somebody must see the end of what is in flight: records are told of it.
      try {
        start_worker();
      } catch (const std::exception& e) {
        plugin::host().log(COLLET_LOG_WARN, e.what());
      }
    }
    is_closed_.store(true);
  }
  work_.notify();
}

void Record::reach(const Failure* upstream, cl_event event) noexcept {
  cl_ulong end = 0;
  const bool is_measured =
      event != nullptr && icd().clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                        sizeof(end), &end, nullptr) == CL_SUCCESS;
  time_ns_ = is_measured ? static_cast<std::int64_t>(end) : plugin::now_ns();
  failure_ = Ref<const Failure>(upstream);
}

void Record::throw_if_failed() const {
  if (failure_) failure_->raise("the event was recorded on a stream that has failed: ");
}

}  // namespace collet::opencl
