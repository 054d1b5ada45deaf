// SPDX-License-Identifier: Apache-2.0
/** What a stream keeps about a command. */
#pragma once

#include <collet/stream.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ref.hpp"

namespace collet::cpu {

/**
 * Names a command in a failure record, e.g. {"launch", "saxpy"}. The texts are static, or owned by
 * something that the command holds.
 */
struct CommandInfo {
  const char* kind = "";
  const char* subject = "";
};

/** Label of the commands enqueued after it. */
struct Annotation : RefCounted<Annotation> {
  std::uint64_t correlation_id = 0;
  char label[64] = {};
};

/** Why a stream is poisoned. Immutable once it is published. */
struct Failure : RefCounted<Failure> {
  /** COMMAND_FAILED, or DEVICE_LOST. */
  collet_status_t status = COLLET_OK;
  std::int64_t native_code = 0;
  char native_name[64] = {};
  /** Which command of its stream it was, from 1. */
  std::uint64_t sequence = 0;
  std::uint64_t correlation_id = 0;
  char command[64] = {};
  char message[512] = {};
};

/** A command that waits in the queue of a stream. */
class Command {
 public:
  Command(const CommandInfo& info, bool always) noexcept : info_(info), always_(always) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /** @param upstream  The stream's failure, or nullptr; not nullptr only if runs_always(). */
  virtual void run(const Failure* upstream) = 0;

  [[nodiscard]] const CommandInfo& info() const noexcept { return info_; }
  /** Whether it runs on a poisoned stream too. */
  [[nodiscard]] bool runs_always() const noexcept { return always_; }

 private:
  friend class CommandQueue;
  friend class Stream;

  CommandInfo info_;
  bool always_;
  std::uint64_t position_ = 0;
  Ref<Annotation> annotation_;
  Command* next_ = nullptr;
};

/** A command made of a function object that takes nothing, or the failure it runs after. */
template <class Function>
class FunctionCommand final : public Command {
 public:
  static constexpr bool kTakesFailure = std::is_invocable_v<Function&, const Failure*>;

  template <class F>
  FunctionCommand(const CommandInfo& info, F&& function)
      : Command(info, kTakesFailure), function_(std::forward<F>(function)) {}

  void run(const Failure* upstream) override {
    if constexpr (kTakesFailure) {
      function_(upstream);
    } else {
      function_();
    }
  }

 private:
  Function function_;
};

}  // namespace collet::cpu
