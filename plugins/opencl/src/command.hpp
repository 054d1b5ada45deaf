// SPDX-License-Identifier: Apache-2.0
/** What a stream keeps about a command: while OpenCL has it, and before. */
#pragma once

#include <collet/sdk/failure.hpp>
#include <collet/sdk/ref.hpp>

#include <cstdint>
#include <utility>

#include "kernel.hpp"
#include "owned.hpp"

namespace collet::opencl {

using plugin::Annotation;
using plugin::CommandInfo;
using plugin::Failure;
using plugin::Ref;

class Record;

/** How a command is told of when it fails. */
struct What {
  CommandInfo info;
  /** Of a launch: owns the name. */
  Ref<Kernel> kernel;
};

/** A command that was given to OpenCL and is not known to be complete. */
struct InFlight {
  std::uint64_t position = 0;
  /** None: it is complete when those before it are. */
  OwnedEvent event;
  What what;
  Ref<Annotation> annotation;
  /** Of a record: what is to be told. */
  Ref<Record> record;
};

/** A command that waits until OpenCL may have it, or that is not for OpenCL at all. */
class Command {
 public:
  explicit Command(What what) noexcept : what_(std::move(what)) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /** Whether all before it must be complete; otherwise it only hands on to OpenCL. */
  [[nodiscard]] virtual bool runs_on_host() const noexcept = 0;
  /** Whether it runs on a failed stream too. */
  [[nodiscard]] virtual bool runs_always() const noexcept { return false; }

  /** @param upstream  The stream's failure; not nullptr only if runs_always(). */
  virtual void run_on_host(const Failure* upstream) { static_cast<void>(upstream); }
  /** Gives it to a queue. */
  virtual void submit(cl_command_queue queue, cl_event* out_event) {
    static_cast<void>(queue), static_cast<void>(out_event);
  }

 private:
  friend class Stream;

  What what_;
  std::uint64_t position_ = 0;
  Ref<Annotation> annotation_;
  Ref<Record> record_;
  /** Of a record: whether its time is wanted. */
  bool is_timed_ = false;
};

/** A command for OpenCL: `function(queue, out_event)` gives it to a queue. */
template <class Function>
class DeviceCommand final : public Command {
 public:
  DeviceCommand(What what, Function function)
      : Command(std::move(what)), function_(std::move(function)) {}

  [[nodiscard]] bool runs_on_host() const noexcept override { return false; }
  void submit(cl_command_queue queue, cl_event* out_event) override { function_(queue, out_event); }

 private:
  Function function_;
};

/** A command for a thread of the host: `function(upstream)`. */
template <class Function>
class HostCommand final : public Command {
 public:
  HostCommand(What what, bool always, Function function)
      : Command(std::move(what)), always_(always), function_(std::move(function)) {}

  [[nodiscard]] bool runs_on_host() const noexcept override { return true; }
  [[nodiscard]] bool runs_always() const noexcept override { return always_; }
  void run_on_host(const Failure* upstream) override { function_(upstream); }

 private:
  bool always_;
  Function function_;
};

}  // namespace collet::opencl
