// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <collet/sdk/thread.hpp>

namespace collet::cpu {

using plugin::Error;
using plugin::make_ref;

/**
 * The right to run a blocking command, which its caller takes back when the time is up. Shared by
 * the queue and the caller, because either may be the last to look.
 */
class Stream::Claim : public plugin::RefCounted<Claim> {
 public:
  /** True for the first caller of all. */
  bool take() noexcept { return !taken_.exchange(true); }

 private:
  std::atomic<bool> taken_{false};
};

Ref<Stream> Stream::create(Device& device, const collet_stream_desc_t& desc) {
  Ref<Stream> stream = Ref<Stream>::adopt(new Stream(device, desc));
  if ((desc.flags & COLLET_STREAM_BACKGROUND) != 0) {
    stream->queue_.emplace(stream->progress_);
    // The thread has a reference of its own: it runs what is left when the stream is destroyed.
    plugin::start_thread("collet-cpu", [worker = stream] { worker->run_worker(); });
  }
  return stream;
}

Stream::Stream(Device& device, const collet_stream_desc_t& desc)
    : device_(device),
      label_(desc.label == nullptr ? "" : desc.label),
      spare_failure_(make_ref<Failure>()) {}

// ---- running -----------------------------------------------------------------------------------

void Stream::run_inline(const CommandInfo& what, const Deadline& deadline, Call call) {
  throw_if_failed();
  std::uint64_t position = 0;
  if (deadline.is_never()) {
    position = progress_.issue();
    progress_.wait_for(position - 1, deadline);
  } else {
    position = progress_.issue_when_idle(deadline);
    if (position == 0) throw_timeout();
  }
  // A command that was ahead in the line may have failed meanwhile.
  const bool held_back = !failure_.empty();
  if (!held_back) {
    const Ref<Annotation> annotation = annotation_.get();
    ++sequence_;
    try {
      call.invoke(call.object, nullptr);
    } catch (...) {
      poison(what, annotation.get());
    }
  }
  progress_.complete(position);
  if (held_back) throw_if_failed();
}

void Stream::run_claimed(const CommandInfo& what, const Deadline& deadline, Call call) {
  const Ref<Claim> claim = make_ref<Claim>();
  const std::uint64_t position = push(what, [this, claim, call] {
    if (claim->take()) {
      call.invoke(call.object, nullptr);
    } else {
      // The caller has been told that nothing was enqueued.
      --sequence_;
    }
  });
  if (!deadline.is_never() && !progress_.wait_for(position - 1, deadline) && claim->take()) {
    throw_timeout();
  }
  wait_for(position, Deadline::never());
  throw_if_failed();
}

void Stream::execute(Command& command) noexcept {
  ++sequence_;
  const Ref<Failure> upstream = failure_.get();
  if (upstream && !command.runs_always()) return;
  try {
    command.run(upstream.get());
  } catch (...) {
    poison(command.info(), command.annotation());
  }
}

void Stream::run_worker() noexcept {
  while (queue_->wait_for_work()) queue_->run_all([this](Command& command) { execute(command); });
}

Ref<Record> Stream::record() {
  Ref<Record> record = make_ref<Record>(*this);
  const auto complete = [record](const Failure* upstream) {
    record->time_ns_ = plugin::now_ns();
    record->failure_ = Ref<const Failure>(upstream);
  };
  const CommandInfo what{"record"};
  if (queue_) {
    record->position_ = push(what, complete);
  } else {
    // Complete already: it holds nobody, so it needs no position.
    run_inline(what, Deadline::never(), call_of(complete));
  }
  return record;
}

// ---- waiting -----------------------------------------------------------------------------------

collet_status_t Stream::query() const {
  throw_if_failed();
  return progress_.reached(progress_.issued()) ? COLLET_OK : COLLET_NOT_READY;
}

void Stream::synchronize(const Deadline& deadline) {
  if (!wait_for(progress_.issued(), deadline)) throw_timeout();
  throw_if_failed();
}

bool Stream::wait_for(std::uint64_t position, const Deadline& deadline) noexcept {
  if (progress_.reached(position)) return true;
  if (queue_ && deadline.is_never()) {
    queue_->help(position, [this](Command& command) { execute(command); });
  }
  return progress_.wait_for(position, deadline);
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

void Stream::poison(const CommandInfo& what, const Annotation* annotation) noexcept {
  if (!failure_.empty()) return;
  Ref<Failure> failure = std::move(spare_failure_);
  failure->note(what, sequence_, annotation);
  failure_.set(std::move(failure));
}

void Stream::reset() {
  const std::lock_guard one_at_a_time(reset_mutex_);
  Ref<Failure> spare = make_ref<Failure>();
  for (;;) {
    const std::uint64_t issued = progress_.issued();
    wait_for(issued, Deadline::never());
    // A poisoned stream takes no commands, so this ends as soon as those in the line are through.
    if (failure_.empty()) return;
    if (progress_.issued() == issued) break;
  }
  spare_failure_ = std::move(spare);
  failure_.set({});
}

void Stream::annotate(std::uint64_t correlation_id, const char* label) {
  annotation_.set(make_ref<Annotation>(correlation_id, label));
}

void Stream::close() noexcept {
  if (queue_) queue_->close();
}

void Record::throw_if_failed() const {
  if (failure_) failure_->raise("the event was recorded on a stream that has failed: ");
}

}  // namespace collet::cpu
