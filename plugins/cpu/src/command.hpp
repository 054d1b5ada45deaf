// SPDX-License-Identifier: Apache-2.0
/** What a stream keeps about a command. */
#pragma once

#include <collet/sdk/failure.hpp>
#include <collet/sdk/ref.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "cache_line.hpp"

namespace collet::cpu {

using plugin::Annotation;
using plugin::CommandInfo;
using plugin::Failure;
using plugin::Ref;

/** A command that waits in the queue of a stream. */
class Command {
 public:
  Command(const CommandInfo& info, Ref<Annotation> annotation, bool always) noexcept
      : info_(info), annotation_(std::move(annotation)), always_(always) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /** @param upstream  The stream's failure, or nullptr; not nullptr only if runs_always(). */
  virtual void run(const Failure* upstream) = 0;

  [[nodiscard]] const CommandInfo& info() const noexcept { return info_; }
  [[nodiscard]] const Annotation* annotation() const noexcept { return annotation_.get(); }
  /** Whether it runs on a poisoned stream too. */
  [[nodiscard]] bool runs_always() const noexcept { return always_; }

 private:
  CommandInfo info_;
  Ref<Annotation> annotation_;
  bool always_;
};

/** A command made of a function object that takes nothing, or the failure it runs after. */
template <class Function>
class FunctionCommand final : public Command {
 public:
  static constexpr bool kTakesFailure = std::is_invocable_v<Function&, const Failure*>;

  template <class F>
  FunctionCommand(const CommandInfo& info, Ref<Annotation> annotation, F&& function)
      : Command(info, std::move(annotation), kTakesFailure), function_(std::forward<F>(function)) {}

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

/** Room for one command, which is used again. */
class CommandRoom {
 public:
  CommandRoom() = default;
  CommandRoom(const CommandRoom&) = delete;
  CommandRoom& operator=(const CommandRoom&) = delete;
  ~CommandRoom() { clear(); }

  /** Call when it is empty, and it stays so if this throws. */
  template <class Made, class... Arguments>
  void make(Arguments&&... arguments) {
    static_assert(sizeof(Made) <= kBytes && alignof(Made) <= kCacheLineBytes);
    command_ =
        std::construct_at(reinterpret_cast<Made*>(bytes_), std::forward<Arguments>(arguments)...);
  }

  [[nodiscard]] Command& command() const noexcept { return *command_; }

  void clear() noexcept {
    if (command_ != nullptr) std::destroy_at(std::exchange(command_, nullptr));
  }

 private:
  /** Enough for a launch, the largest command. */
  static constexpr std::size_t kBytes = 512;

  Command* command_ = nullptr;
  alignas(kCacheLineBytes) std::byte bytes_[kBytes];
};

}  // namespace collet::cpu
