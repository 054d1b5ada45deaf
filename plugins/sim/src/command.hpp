// SPDX-License-Identifier: Apache-2.0
/** What a stream keeps about a command. */
#pragma once

#include <collet/sdk/failure.hpp>
#include <collet/sdk/ref.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "check/checker.hpp"
#include "faults/faults.hpp"
#include "work.hpp"

namespace collet::sim {

using plugin::Annotation;
using plugin::Failure;
using plugin::Ref;

class Record;

class Command {
 public:
  explicit Command(Work work) noexcept : work_(std::move(work)) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /** @param upstream  The stream's failure, or nullptr; not nullptr only if runs_always(). */
  virtual void run(const Failure* upstream) = 0;
  /** Makes zeros of what run() has copied. */
  virtual void corrupt() noexcept {}
  /** Whether it runs on a poisoned stream too. */
  [[nodiscard]] virtual bool runs_always() const noexcept { return false; }
  /** Whether it calls code of others, which may wait for anything. */
  [[nodiscard]] virtual bool is_foreign() const noexcept { return false; }
  /** What must be complete before it runs; nullptr: nothing. */
  [[nodiscard]] virtual const Record* awaited() const noexcept { return nullptr; }
  /** What is reached when it runs; nullptr: nothing. */
  [[nodiscard]] virtual const Record* recorded() const noexcept { return nullptr; }

  /** Whether it may take long, and so needs a thread. */
  [[nodiscard]] bool is_long() const noexcept { return is_foreign() || fault_.delay_ns > 0; }
  [[nodiscard]] const Work& work() const noexcept { return work_; }

 private:
  friend class Stream;

  Work work_;
  Fault fault_;
  /** What the program had seen when the command was enqueued. */
  Checker::Past seen_;
  /** Counts the stream's commands, with those that are taken back. */
  std::uint64_t ticket_ = 0;
  Ref<Annotation> annotation_;
};

/** Whose code a command runs. */
enum class Code { kPlugin, kForeign };

/**
 * A command made of a function object that takes nothing, or the failure it runs after, and may
 * have a function corrupt().
 */
template <Code code, class Function>
class FunctionCommand final : public Command {
 public:
  static constexpr bool kTakesFailure = std::is_invocable_v<Function&, const Failure*>;

  template <class F>
  FunctionCommand(Work work, F&& function)
      : Command(std::move(work)), function_(std::forward<F>(function)) {}

  void run(const Failure* upstream) override {
    if constexpr (kTakesFailure) {
      function_(upstream);
    } else {
      function_();
    }
  }
  void corrupt() noexcept override {
    if constexpr (requires { function_.corrupt(); }) function_.corrupt();
  }
  [[nodiscard]] bool runs_always() const noexcept override { return kTakesFailure; }
  [[nodiscard]] bool is_foreign() const noexcept override { return code == Code::kForeign; }

 private:
  Function function_;
};

}  // namespace collet::sim
