// SPDX-License-Identifier: Apache-2.0
/** Streams: commands in order, run by the device's engine. */
#pragma once

#include <collet/plugin/stream.h>

#include <atomic>
#include <collet/sdk/failure.hpp>
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
#include "faults/recycled.hpp"
#include "stream_list.hpp"
#include "time/timeline.hpp"

namespace collet::sim {

class Device;
class Engine;

using plugin::Deadline;

/**
 * An in-order stream.
 *
 * While it has commands, it has one turn, which goes from the engine's line to the thread that
 * executes the command, or to the line of those that wait for a record, and back. A command that
 * throws poisons the stream: later ones do not run, and calls answer with that failure until
 * reset().
 */
class Stream : public plugin::RefCounted<Stream>, public Recycled<Stream> {
 public:
  using Handle = collet_plugin_stream_t;

  Stream(Device& device, const collet_stream_desc_t& desc);

  [[nodiscard]] Device& device() const noexcept { return device_; }

  /**
   * Enqueues `command()`, which is destroyed before it is complete. One that takes a
   * `const Failure*` runs on a poisoned stream too, and is given the failure.
   *
   * @throws Error the failure of the stream; the command is not enqueued then.
   */
  template <Code code = Code::kPlugin, class Function>
  void enqueue(Work work, Function&& command) {
    push(make_command<code>(std::move(work), std::forward<Function>(command)));
  }

  /**
   * Runs `command()` in the stream's order and returns when it is complete.
   *
   * @throws Error TIMEOUT if earlier commands are not complete at the deadline: the command is
   *         taken back then. The failure of the stream, also where the command is the one that
   *         fails.
   */
  template <class Function>
  void run_and_wait(Work work, const Deadline& deadline, Function&& command) {
    push_and_wait(make_command<Code::kPlugin>(std::move(work), std::forward<Function>(command)),
                  deadline);
  }

  /** Enqueues a mark that completes with the commands before it, or with their failure. */
  [[nodiscard]] Ref<Record> record();
  /** Enqueues a wait; nothing to wait for is a command too. */
  void wait_for_record(Ref<Record> record);

  /** COLLET_OK or COLLET_NOT_READY. @throws Error the failure of the stream. */
  [[nodiscard]] collet_status_t query();
  /** @throws Error TIMEOUT, or the failure of the stream. */
  void synchronize(const Deadline& deadline);

  /** Ticket of the latest command. */
  [[nodiscard]] std::uint64_t issued() const noexcept { return issued_.load(); }
  /** Whether the command of a ticket, and all before it, are complete. */
  [[nodiscard]] bool reached(std::uint64_t ticket) const noexcept {
    return completed_.load(std::memory_order_acquire) >= ticket;
  }
  /**
   * The same, as the program asks it: who asks waits for them.
   *
   * @param record  The record that is asked for, if it is one.
   */
  [[nodiscard]] bool ask(std::uint64_t ticket, const Record* record = nullptr) noexcept;
  /** Returns false if they are not at the deadline. */
  bool wait_for(std::uint64_t ticket, const Deadline& deadline,
                const Record* record = nullptr) noexcept;

  [[nodiscard]] Ref<Failure> failure() const noexcept { return failure_.get(); }
  /** Waits until what is enqueued has been skipped, and forgets the failure. */
  void reset();
  void annotate(std::uint64_t correlation_id, const char* label);

  // ---- for the schedule ----

  /** Something waits for the commands up to a ticket: those of others, or the program. */
  void demand(std::uint64_t ticket) noexcept;
  /** The same, for all that is enqueued, by the engine itself. */
  void release_all() noexcept { static_cast<void>(raise_demand(issued_.load())); }
  /** Whether something waits for the next command. */
  [[nodiscard]] bool is_demanded() const noexcept { return demanded_.load() > completed_.load(); }
  /** Since when the stream is in the engine's line; only for streams in it. */
  [[nodiscard]] std::int64_t ready_since_ns() const noexcept { return ready_since_ns_; }
  void note_ready(std::int64_t now_ns) noexcept { ready_since_ns_ = now_ns; }

  // ---- for who has the stream's turn ----

  /** The command to execute; nullptr if there is none, and then there is no turn any more. */
  [[nodiscard]] const Command* begin() noexcept;
  /** Whether that command must wait; the turn is in another line then. */
  [[nodiscard]] bool is_held() noexcept;
  /** Runs that command, unless the stream is poisoned, and gives the turn back to the engine. */
  void execute() noexcept;

 private:
  friend class plugin::RefCounted<Stream>;
  friend class Record;
  friend class StreamList;

  ~Stream();

  template <Code code, class Function>
  static std::unique_ptr<Command> make_command(Work work, Function&& function) {
    return std::make_unique<FunctionCommand<code, std::decay_t<Function>>>(
        std::move(work), std::forward<Function>(function));
  }

  /** Gives the command's ticket. */
  std::uint64_t push(std::unique_ptr<Command> command);
  void push_and_wait(std::unique_ptr<Command> command, const Deadline& deadline);
  /** Puts a command that is being enqueued on the virtual clock, where there is one. */
  void put_on_timeline(const Command& command);
  /** Waits for what is demanded; returns false if it is not complete at the deadline. */
  bool await(std::uint64_t ticket, const Deadline& deadline, const Record* record) noexcept;
  /** The program has seen the commands up to a ticket complete. */
  void note_observed(std::uint64_t ticket, const Record* record) noexcept;
  /** Returns false if the command of the ticket has begun. */
  bool take_back(std::uint64_t ticket) noexcept;
  /** Puts a stream in line until a ticket is reached; false if it is. */
  bool hold(std::uint64_t ticket, Ref<Stream> waiting) noexcept;
  /** The failure of the current command, if the body throws. */
  template <class Body>
  Ref<Failure> failure_of(Body&& body) noexcept;
  /** With the faults that it has. */
  void run_current();
  void run_after(const Failure& upstream) noexcept;
  /** With the order that it makes, if the order is watched. */
  void watch_current(bool is_failed);
  void call_current(const Failure* upstream);
  /** @param failed  Why the command failed, or nothing. */
  void complete(Ref<Failure> failed) noexcept;
  /** Under the mutex: says how far the stream is, and gives turns to who waited for that. */
  void publish() noexcept;

  void throw_if_failed() const;
  [[noreturn]] void throw_timeout() const;
  /** Returns false if as much was demanded before. */
  [[nodiscard]] bool raise_demand(std::uint64_t ticket) noexcept;
  [[nodiscard]] std::string name() const;

  Device& device_;
  Engine& engine_;
  const std::string label_;
  /** nullptr where the clock is the real one. */
  Timeline* const timeline_;
  const std::shared_ptr<Timeline::Lane> lane_;
  /** nullptr where nothing is checked. */
  Checker* const checker_;
  const std::unique_ptr<Checker::Moment> moment_;
  /** Among the streams of the device; the name of one without a label. */
  const std::uint64_t number_;

  std::mutex mutex_;
  /** Commands that have not begun. */
  std::deque<std::unique_ptr<Command>> queue_;
  /** Whether the stream has a turn. */
  bool has_turn_ = false;
  /** Ticket of the command that has begun; 0: none. */
  std::uint64_t begun_ = 0;
  /** Streams that wait for commands of this one. */
  StreamList held_;
  /** Written under the mutex; read without it. */
  std::atomic<std::uint64_t> issued_{0};
  std::atomic<std::uint64_t> completed_{0};
  /** The ticket up to which something waits; the greatest where that does not matter. */
  std::atomic<std::uint64_t> demanded_;
  plugin::RefSlot<Failure> failure_;

  plugin::RefSlot<Annotation> annotation_;
  plugin::Signal changed_;

  // Used by who has the turn.
  std::unique_ptr<Command> current_;
  /** Number of that command, from 1; those that were taken back do not count. */
  std::uint64_t sequence_ = 0;
  /** Made ahead, so that poisoning does not allocate. */
  Ref<Failure> spare_failure_;
  std::int64_t ready_since_ns_ = 0;
  /** In the line that the stream is in. */
  Stream* next_ = nullptr;
};

/** One record of an event: a ticket of a stream, and what is known once that is reached. */
class Record : public plugin::RefCounted<Record> {
 public:
  explicit Record(Stream& stream);

  [[nodiscard]] bool is_complete() const noexcept { return stream_->ask(ticket_, this); }
  /** Returns false if it is not complete at the deadline. */
  bool wait(const Deadline& deadline) const noexcept {
    return stream_->wait_for(ticket_, deadline, this);
  }

  /** When it completed. Call when it is complete, as those below. */
  [[nodiscard]] std::int64_t time_ns() const;
  /** @throws Error the failure of the commands before it. */
  void throw_if_failed() const;

  /** Tells it that it is reached, and by what. */
  void reach(const Failure* upstream) noexcept;

 private:
  friend class Stream;

  Ref<Stream> stream_;
  std::uint64_t ticket_ = 0;
  std::int64_t time_ns_ = 0;
  /** The moment on the virtual clock, where there is one. */
  std::shared_ptr<Timeline::Mark> mark_;
  /** What is before it, where that is watched. */
  Checker::Past past_;
  Ref<const Failure> failure_;
};

/** The table of COLLET_INTERFACE_STREAM_V1. */
[[nodiscard]] const collet_plugin_stream_interface_t* stream_interface() noexcept;

}  // namespace collet::sim
