// SPDX-License-Identifier: Apache-2.0
/** What a stream keeps about a command. */
#pragma once

#include <collet/sdk/failure.hpp>
#include <collet/sdk/ref.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace collet::cpu {

using plugin::Annotation;
using plugin::CommandInfo;
using plugin::Failure;
using plugin::Ref;

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
