// SPDX-License-Identifier: Apache-2.0
/** Kernels, and their launches. */
#pragma once

#include <collet/plugin/program.h>

#include <collet/sdk/ref.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "owned.hpp"

namespace collet::opencl {

class Device;
class Program;

/** A kernel of a program, which it keeps. */
class Kernel : public plugin::RefCounted<Kernel> {
 public:
  using Handle = collet_plugin_kernel_t;

  /** @throws Error NOT_FOUND, with the names that there are. */
  Kernel(plugin::Ref<Program> program, std::string name);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] collet_kernel_info_t info() const;

  /**
   * Sets the arguments and gives the launch to a queue; an empty grid leaves `out_event` as it is.
   * @throws Error what OpenCL answers, with the number of the argument.
   */
  void launch(cl_command_queue queue, const collet_plugin_launch_t& launch, cl_event* out_event);
  /** Sets the arguments only, to see whether the kernel takes them. @throws Error */
  void try_arguments(const collet_plugin_launch_t& launch);

 private:
  friend class plugin::RefCounted<Kernel>;
  ~Kernel();

  /** Under the mutex, as the next. */
  void set_arguments(const collet_plugin_launch_t& launch);
  void set_argument(cl_uint index, const collet_plugin_argument_t& argument);

  plugin::Ref<Program> program_;
  std::string name_;
  /** Arguments are a state of OpenCL's object: setting them and launching is one step. */
  std::mutex mutex_;
  OwnedKernel kernel_;
};

/** A launch that refers to the arguments of its caller. */
class Launch {
 public:
  Launch(plugin::Ref<Kernel> kernel, const collet_plugin_launch_t& launch)
      : kernel_(std::move(kernel)), launch_(&launch) {}

  void operator()(cl_command_queue queue, cl_event* out_event) const {
    kernel_->launch(queue, *launch_, out_event);
  }

  /** The same with copies of the arguments. */
  [[nodiscard]] auto owned() const;

 private:
  plugin::Ref<Kernel> kernel_;
  const collet_plugin_launch_t* launch_;
};

/** A launch that has its arguments. */
class OwnedLaunch {
 public:
  /** @throws Error for arguments that the kernel does not take. */
  OwnedLaunch(plugin::Ref<Kernel> kernel, const collet_plugin_launch_t& launch);

  void operator()(cl_command_queue queue, cl_event* out_event);

 private:
  plugin::Ref<Kernel> kernel_;
  collet_plugin_launch_t launch_;
  std::vector<collet_plugin_argument_t> arguments_;
  /** Of all scalars, one after the other. */
  std::vector<std::byte> values_;
};

inline auto Launch::owned() const { return OwnedLaunch(kernel_, *launch_); }

}  // namespace collet::opencl
