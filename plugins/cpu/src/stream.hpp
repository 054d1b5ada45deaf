// SPDX-License-Identifier: Apache-2.0
/** Streams: commands in order, run by the caller or by a thread of the stream. */
#pragma once

#include <collet/plugin/stream.h>

#include <collet/sdk/failure.hpp>
#include <collet/sdk/ref.hpp>
#include <collet/sdk/wait.hpp>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "command.hpp"
#include "command_queue.hpp"
#include "progress.hpp"

namespace collet::cpu {

class Device;
class Record;

/**
 * An in-order stream.
 *
 * An inline stream has no queue: its commands run in the call that enqueues them, one at a time.
 * A background stream has a queue and a thread that runs it. A thread that waits for such a stream
 * without a time-out helps: it runs the commands up to the one it waits for by itself, when nobody
 * does. A wait with a time-out never runs a command of others, since it could not leave it in time.
 *
 * A command that throws poisons the stream: later ones do not run, and calls answer with that
 * failure until reset(). The call that enqueued the command has succeeded nevertheless, on inline
 * streams too.
 */
class Stream : public plugin::RefCounted<Stream> {
 public:
  using Handle = collet_plugin_stream_t;

  [[nodiscard]] static Ref<Stream> create(Device& device, const collet_stream_desc_t& desc);

  [[nodiscard]] Device& device() const noexcept { return device_; }

  /**
   * Enqueues `command()`. An inline stream runs it in place, without a copy or an allocation; a
   * background stream moves it into its queue, and destroys it before the command is complete.
   *
   * A command that takes a `const Failure*` runs on a poisoned stream too, and is given the
   * failure.
   *
   * @throws Error the failure of the stream; the command is not enqueued then.
   */
  template <class Function>
  void enqueue(const CommandInfo& what, Function&& command) {
    if (queue_) {
      push(what, std::forward<Function>(command));
    } else {
      run_inline(what, Deadline::never(), call_of(command));
    }
  }

  /**
   * Runs `command()` in the stream's order and returns when it is complete.
   *
   * @throws Error TIMEOUT if earlier commands are not complete at the deadline: the command does
   *         not run then. The failure of the stream, also where the command is the one that fails.
   */
  template <class Function>
  void run_and_wait(const CommandInfo& what, const Deadline& deadline, Function&& command) {
    if (queue_) {
      run_claimed(what, deadline, call_of(command));
    } else {
      run_inline(what, deadline, call_of(command));
      throw_if_failed();
    }
  }

  /** Enqueues a mark that completes with the commands before it, or with their failure. */
  [[nodiscard]] Ref<Record> record();

  /** COLLET_OK or COLLET_NOT_READY. @throws Error the failure of the stream. */
  [[nodiscard]] collet_status_t query() const;
  /** @throws Error TIMEOUT, or the failure of the stream. */
  void synchronize(const Deadline& deadline);

  /** Whether the command at a position is complete. */
  [[nodiscard]] bool reached(std::uint64_t position) const noexcept {
    return progress_.reached(position);
  }
  /** Returns false if the command is not complete at the deadline. */
  bool wait_for(std::uint64_t position, const Deadline& deadline) noexcept;

  [[nodiscard]] Ref<Failure> failure() const noexcept { return failure_.get(); }
  /** Waits until what is enqueued has been skipped, and forgets the failure. */
  void reset();
  void annotate(std::uint64_t correlation_id, const char* label);

  /** No command follows. What is enqueued still runs. */
  void close() noexcept;

 private:
  friend class plugin::RefCounted<Stream>;

  /** Any callable, without its type. */
  struct Call {
    void* object;
    void (*invoke)(void* object, const Failure* upstream);
  };
  class Claim;

  Stream(Device& device, const collet_stream_desc_t& desc);
  ~Stream() = default;

  template <class Function>
  static Call call_of(Function& function) noexcept {
    using Plain = std::remove_const_t<Function>;
    return {const_cast<Plain*>(&function), [](void* object, const Failure* upstream) {
              if constexpr (std::is_invocable_v<Function&, const Failure*>) {
                (*static_cast<Function*>(object))(upstream);
              } else {
                (*static_cast<Function*>(object))();
              }
            }};
  }

  template <class Function>
  std::uint64_t push(const CommandInfo& what, Function&& function) {
    return queue_->push(what, annotation_.get(), std::forward<Function>(function),
                        [this] { throw_if_failed(); });
  }
  void run_inline(const CommandInfo& what, const Deadline& deadline, Call call);
  void run_claimed(const CommandInfo& what, const Deadline& deadline, Call call);
  /** Runs one command, at its turn, unless the stream is poisoned. */
  void execute(Command& command) noexcept;
  void run_worker() noexcept;

  void throw_if_failed() const;
  [[noreturn]] void throw_timeout() const;
  [[nodiscard]] std::string name() const;
  /** Inside a handler: makes what is being handled the stream's failure. */
  void poison(const CommandInfo& what, const Annotation* annotation) noexcept;

  Device& device_;
  const std::string label_;
  Progress progress_;
  plugin::RefSlot<Failure> failure_;
  plugin::RefSlot<Annotation> annotation_;
  /** Number of the command that runs, from 1. Used by who has the turn, as is the next. */
  alignas(kCacheLineBytes) std::uint64_t sequence_ = 0;
  /** Made ahead, so that poisoning does not allocate. */
  Ref<Failure> spare_failure_;
  std::mutex reset_mutex_;
  std::optional<CommandQueue> queue_;
};

/** One record of an event: a position of a stream, and what is known once that is reached. */
class Record : public plugin::RefCounted<Record> {
 public:
  explicit Record(Stream& stream) : stream_(&stream) {}

  [[nodiscard]] bool is_complete() const noexcept { return stream_->reached(position_); }
  /** Returns false if it is not complete at the deadline. */
  bool wait(const Deadline& deadline) const noexcept {
    return stream_->wait_for(position_, deadline);
  }

  /** When it completed. Call when it is complete, as those below. */
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }
  /** @throws Error the failure of the commands before it. */
  void throw_if_failed() const;

 private:
  friend class Stream;

  Ref<Stream> stream_;
  std::uint64_t position_ = 0;
  std::int64_t time_ns_ = 0;
  Ref<const Failure> failure_;
};

/** The table of COLLET_INTERFACE_STREAM_V1. */
[[nodiscard]] const collet_plugin_stream_interface_t* stream_interface() noexcept;

}  // namespace collet::cpu
