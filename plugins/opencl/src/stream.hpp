// SPDX-License-Identifier: Apache-2.0
/** Streams: queues of OpenCL, and what must wait before it may go into one. */
#pragma once

#include <collet/plugin/stream.h>

#include <atomic>
#include <collet/sdk/ref.hpp>
#include <collet/sdk/wait.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "command.hpp"
#include "owned.hpp"

namespace collet::opencl {

using plugin::Deadline;

class Device;

/**
 * A stream over a queue in order.
 *
 * Commands go into the queue in the call that enqueues them. A host function, and a wait for
 * something that OpenCL does not know of yet, cannot: from there on commands are *held back*, and a
 * thread of the stream does what they are, until none is left. User events, which could hold a
 * queue back as well, are not used: implementations exist that deadlock on them, or leave them out
 * of clFinish().
 *
 * Each command has a position, from 1, and an event by which it is known whether it is complete.
 */
class Stream : public plugin::RefCounted<Stream> {
 public:
  using Handle = collet_plugin_stream_t;

  [[nodiscard]] static Ref<Stream> create(Device& device, const collet_stream_desc_t& desc) {
    return Ref<Stream>::adopt(new Stream(device, desc));
  }

  [[nodiscard]] Device& device() const noexcept { return device_; }

  /**
   * Enqueues a command for OpenCL: `submit(queue, out_event)`, which may leave the event empty
   * where there is nothing to do. What it throws is the call's failure, and nothing is enqueued
   * then; of a command that was held back it poisons the stream.
   *
   * A `submit` with `owned()` refers to things of the caller; that gives one which does not.
   *
   * @return The command's position.
   * @throws Error the failure of the stream.
   */
  template <class Submit>
  std::uint64_t enqueue(What what, Submit&& submit) {
    const std::lock_guard lock(mutex_);
    throw_if_failed();
    if (!is_holding_back_) return give(std::move(what), call_of(submit), {});
    if constexpr (requires { submit.owned(); }) {
      return hold_back(device_command(std::move(what), submit.owned()));
    } else {
      return hold_back(device_command(std::move(what), std::forward<Submit>(submit)));
    }
  }

  /** Enqueues `function(upstream)` for a thread of the host; `always`: on a failed stream too. */
  template <class Function>
  std::uint64_t enqueue_host(What what, bool always, Function function) {
    auto command =
        std::make_unique<HostCommand<Function>>(std::move(what), always, std::move(function));
    const std::lock_guard lock(mutex_);
    throw_if_failed();
    return hold_back(std::move(command));
  }

  /**
   * Runs a command in the stream's order, and returns when it is complete.
   *
   * @throws Error TIMEOUT if earlier ones are not complete at the deadline, and nothing is enqueued
   *         then; the failure of the stream.
   */
  template <class Submit>
  void run_and_wait(const What& what, const Deadline& deadline, Submit&& submit) {
    const std::uint64_t position = enqueue_in_time(deadline, [&] {
      return is_holding_back_ ? hold_back(device_command(what, std::forward<Submit>(submit)))
                              : give(what, call_of(submit), {});
    });
    wait_for(position, Deadline::never());
    throw_if_failed();
  }

  /** As run_and_wait(), for `function(upstream)` on a thread of the host. */
  template <class Function>
  void run_on_host_and_wait(const What& what, const Deadline& deadline, Function function) {
    auto command = std::make_unique<HostCommand<Function>>(what, false, std::move(function));
    const std::uint64_t position =
        enqueue_in_time(deadline, [&] { return hold_back(std::move(command)); });
    wait_for(position, Deadline::never());
    throw_if_failed();
  }

  /** Enqueues a mark; `timed`: whoever has it will ask for its time. */
  [[nodiscard]] Ref<Record> record(bool timed);
  /** Makes later commands wait for a record, of whichever device; it may be none. */
  void wait_for_record(Ref<Record> record);

  /** COLLET_OK or COLLET_NOT_READY. @throws Error the failure of the stream. */
  [[nodiscard]] collet_status_t query();
  /** @throws Error TIMEOUT, or the failure of the stream. */
  void synchronize(const Deadline& deadline);

  /** Whether the command at a position is complete. Waits for no lock. */
  [[nodiscard]] bool reached(std::uint64_t position) noexcept;
  /** Returns false if the command is not complete at the deadline. */
  bool wait_for(std::uint64_t position, const Deadline& deadline) noexcept;
  /** The event of a command that OpenCL has and that is not complete; or none. */
  [[nodiscard]] OwnedEvent event_at(std::uint64_t position) noexcept;

  [[nodiscard]] Ref<Failure> failure() noexcept;
  /** Waits until what is enqueued is complete or skipped, and forgets the failure. */
  void reset();
  void annotate(std::uint64_t correlation_id, const char* label);

  /** No command follows. What is enqueued still runs. */
  void close() noexcept;

 private:
  friend class plugin::RefCounted<Stream>;

  /** Any `submit`, without its type. */
  struct Call {
    void* object;
    void (*invoke)(void* object, cl_command_queue queue, cl_event* out_event);
  };

  Stream(Device& device, const collet_stream_desc_t& desc);
  ~Stream() = default;

  template <class Submit>
  static Call call_of(Submit& submit) noexcept {
    using Plain = std::remove_const_t<Submit>;
    return {const_cast<Plain*>(&submit), [](void* object, cl_command_queue queue, cl_event* event) {
              (*static_cast<Submit*>(object))(queue, event);
            }};
  }

  template <class Submit>
  static std::unique_ptr<Command> device_command(What what, Submit&& submit) {
    return std::make_unique<DeviceCommand<std::decay_t<Submit>>>(std::move(what),
                                                                 std::forward<Submit>(submit));
  }

  /** Calls `enqueue` under the mutex: with a time-out, once everything before it is complete. */
  template <class Enqueue>
  std::uint64_t enqueue_in_time(const Deadline& deadline, Enqueue&& enqueue) {
    for (;;) {
      if (!deadline.is_never()) wait_until_idle(deadline);
      const std::lock_guard lock(mutex_);
      throw_if_failed();
      reap();
      // What came in meanwhile is waited for as well.
      if (deadline.is_never() || completed_.load() == issued_.load()) return enqueue();
    }
  }

  // Under the mutex:
  std::uint64_t give(What what, const Call& call, Ref<Record> record);
  std::uint64_t hold_back(std::unique_ptr<Command> command);
  /** OpenCL has all commands up to this one, the last in the line. */
  void pass(std::uint64_t position) noexcept;
  /** Takes what is complete out of the line. */
  void reap() noexcept;
  void finish(InFlight& command, cl_int status) noexcept;
  /** Goes on with a queue that measures time. */
  void measure();
  void start_worker();

  // The worker, and what it does with the first command that is held back:
  void work() noexcept;
  void proceed(Command& command) noexcept;
  void run_on_host(Command& command) noexcept;
  void submit(Command& command) noexcept;
  /** Under the mutex: the command is through, with this event or none. */
  void settle(Command& command, OwnedEvent event) noexcept;

  /** The event to wait for to see a position complete; none where there is nothing to wait for. */
  [[nodiscard]] OwnedEvent event_up_to(std::uint64_t position) noexcept;
  /** @throws Error TIMEOUT */
  void wait_until_idle(const Deadline& deadline);
  void throw_if_failed() const;
  [[noreturn]] void throw_timeout() const;
  [[nodiscard]] std::string name() const;
  /** Inside a handler: makes what is being handled the stream's failure. Under the mutex. */
  void poison(const What& what, std::uint64_t position, const Annotation* annotation) noexcept;

  Device& device_;
  const std::string label_;
  const std::int32_t priority_;
  std::mutex mutex_;
  /** A measuring one costs something on each command, so it is made when it is first needed. */
  OwnedQueue queue_;
  OwnedQueue queue_before_;
  bool measures_ = false;
  std::deque<InFlight> in_flight_;
  std::deque<std::unique_ptr<Command>> held_back_;
  bool is_holding_back_ = false;
  bool has_worker_ = false;
  plugin::RefSlot<Failure> failure_;
  plugin::RefSlot<Annotation> annotation_;
  /** Made ahead, so that poisoning does not allocate. */
  Ref<Failure> spare_failure_;

  // Written under the mutex, read without it.
  std::atomic<std::uint64_t> issued_{0};
  /** Up to which OpenCL has the commands. */
  std::atomic<std::uint64_t> given_{0};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<bool> has_work_{false};
  std::atomic<bool> is_closed_{false};
  plugin::Signal changed_;
  plugin::Signal work_;
};

/** One record of an event: a position of a stream, and what is known once that is reached. */
class Record : public plugin::RefCounted<Record> {
 public:
  explicit Record(Stream& stream) : stream_(&stream) {}

  [[nodiscard]] bool is_complete() const noexcept { return stream_->reached(position_.load()); }
  /** Returns false if it is not complete at the deadline. */
  bool wait(const Deadline& deadline) const noexcept {
    return stream_->wait_for(position_.load(), deadline);
  }

  /** When it completed. Call when it is complete, as those below. */
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }
  /** @throws Error the failure of the commands before it. */
  void throw_if_failed() const;
  [[nodiscard]] bool has_failed() const noexcept { return static_cast<bool>(failure_); }

  [[nodiscard]] Stream& stream() const noexcept { return *stream_; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_.load(); }

 private:
  friend class Stream;

  /** @param event  Of a queue that measures, or nullptr. */
  void reach(const Failure* upstream, cl_event event) noexcept;

  Ref<Stream> stream_;
  std::atomic<std::uint64_t> position_{0};
  std::int64_t time_ns_ = 0;
  Ref<const Failure> failure_;
};

/** The table of COLLET_INTERFACE_STREAM_V1. */
[[nodiscard]] const collet_plugin_stream_interface_t* stream_interface() noexcept;

}  // namespace collet::opencl
