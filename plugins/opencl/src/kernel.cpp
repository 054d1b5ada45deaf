// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <algorithm>
#include <collet/sdk/plugin.hpp>
#include <string_view>
#include <utility>

#include "cl_error.hpp"
#include "device.hpp"
#include "device_info.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace collet::opencl {
namespace {

using plugin::Error;
using plugin::from_handle;

/** A number about a kernel on its device, or 0 where it is not known. */
template <class Value>
Value group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what) noexcept {
  Value value{};
  const cl_int status =
      icd().clGetKernelWorkGroupInfo(kernel, device, what, sizeof(value), &value, nullptr);
  return status == CL_SUCCESS ? value : Value{};
}

/** 0 where the driver does not tell. */
std::uint8_t argument_kind(cl_kernel kernel, cl_uint index) noexcept {
  cl_kernel_arg_address_qualifier space = 0;
  const cl_int status = icd().clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                                 sizeof(space), &space, nullptr);
  if (status != CL_SUCCESS) return 0;
  switch (space) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
      return COLLET_ARGUMENT_BUFFER;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
      return COLLET_ARGUMENT_LOCAL;
    default:
      return COLLET_ARGUMENT_SCALAR;
  }
}

/** Bytes of a scalar or a vector of OpenCL C by the name of its type; 0 for other types. */
std::uint8_t scalar_size(std::string_view type) noexcept {
  struct Scalar {
    std::string_view name;
    unsigned bytes;
  };
  constexpr Scalar kScalars[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2},
                                 {"half", 2}, {"int", 4},   {"uint", 4},  {"float", 4},
                                 {"long", 8}, {"ulong", 8}, {"double", 8}};
  // A vector of three has the size of one of four.
  constexpr std::pair<std::string_view, unsigned> kLanes[] = {{"", 1},  {"2", 2}, {"3", 4},
                                                              {"4", 4}, {"8", 8}, {"16", 16}};
  const std::size_t end = std::min(type.find_first_of("0123456789"), type.size());
  for (const Scalar& scalar : kScalars) {
    if (type.substr(0, end) != scalar.name) continue;
    // A program's own type may be called int32_t.
    for (const auto& [digits, lanes] : kLanes) {
      if (type.substr(end) == digits) return static_cast<std::uint8_t>(scalar.bytes * lanes);
    }
  }
  return 0;
}

/** 0 where the driver does not tell, or the type is one of the program's own. */
std::uint8_t argument_size(cl_kernel kernel, cl_uint index) {
  return scalar_size(read_text([&](std::size_t room, void* out, std::size_t* size) {
    return icd().clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, room, out, size);
  }));
}

/**
 * OpenCL has no local memory of no bytes, and drivers exist that place one right behind another
 * (rusticl 22.3): whole cache lines keep them aligned.
 */
std::size_t local_size(std::uint64_t asked) noexcept {
  constexpr std::size_t kLine = 64;
  return std::max<std::size_t>((asked + kLine - 1) & ~(kLine - 1), kLine);
}

cl_uint argument_count(cl_kernel kernel) {
  cl_uint count = 0;
  check(icd().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr),
        "clGetKernelInfo");
  return count;
}

}  // namespace

Kernel::Kernel(plugin::Ref<Program> program, std::string name)
    : program_(std::move(program)), name_(std::move(name)) {
  program_->expect_kernel(name_);
  cl_int status = CL_SUCCESS;
  kernel_ = OwnedKernel(icd().clCreateKernel(program_->native(), name_.c_str(), &status));
  check(status, "clCreateKernel");
}

Kernel::~Kernel() = default;

collet_kernel_info_t Kernel::info() const {
  struct Sizes {
    std::size_t axis[3];
  };
  cl_kernel kernel = kernel_.get();
  cl_device_id device = program_->device().id();
  collet_kernel_info_t value{};
  plugin::copy_text(value.name, name_);
  value.argument_count = argument_count(kernel);
  value.max_group_items = static_cast<std::uint32_t>(
      group_info<std::size_t>(kernel, device, CL_KERNEL_WORK_GROUP_SIZE));
  const auto required = group_info<Sizes>(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  for (int axis = 0; axis < 3; ++axis) {
    value.required_group[axis] = static_cast<std::uint32_t>(required.axis[axis]);
  }
  value.preferred_group_multiple = static_cast<std::uint32_t>(
      group_info<std::size_t>(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
  value.local_memory_bytes = group_info<cl_ulong>(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE);
  const cl_uint known = std::min<cl_uint>(value.argument_count, COLLET_MAX_KERNEL_ARGUMENTS);
  for (cl_uint i = 0; i < known; ++i) {
    value.argument_kinds[i] = argument_kind(kernel, i);
    if (value.argument_kinds[i] != COLLET_ARGUMENT_SCALAR) continue;
    value.argument_sizes[i] = argument_size(kernel, i);
  }
  return value;
}

void Kernel::set_argument(cl_uint index, const collet_plugin_argument_t& argument) {
  switch (argument.kind) {
    case COLLET_ARGUMENT_BUFFER:
      return from_handle<Memory>(argument.memory)
          ->set_argument(kernel_.get(), index, argument.offset_bytes);
    case COLLET_ARGUMENT_LOCAL:
      return check(
          icd().clSetKernelArg(kernel_.get(), index, local_size(argument.size_bytes), nullptr),
          "clSetKernelArg");
    default:
      return check(icd().clSetKernelArg(kernel_.get(), index, argument.size_bytes, argument.value),
                   "clSetKernelArg");
  }
}

void Kernel::set_arguments(const collet_plugin_launch_t& launch) {
  for (cl_uint i = 0; i < launch.argument_count; ++i) {
    try {
      set_argument(i, launch.arguments[i]);
    } catch (const Error& e) {
      throw Error(e.status(), e.native_code(), e.native_name(),
                  "kernel \"" + name_ + "\", argument " + std::to_string(i) + ": " + e.what());
    }
  }
}

void Kernel::try_arguments(const collet_plugin_launch_t& launch) {
  const std::lock_guard lock(mutex_);
  set_arguments(launch);
}

void Kernel::launch(cl_command_queue queue, const collet_plugin_launch_t& launch,
                    cl_event* out_event) {
  constexpr cl_uint kAxes = 3;
  std::size_t items[kAxes];
  std::size_t group[kAxes];
  for (cl_uint axis = 0; axis < kAxes; ++axis) {
    group[axis] = launch.group[axis];
    if (__builtin_mul_overflow(launch.grid[axis], launch.group[axis], &items[axis])) {
      throw Error(COLLET_ERROR_OVERFLOW, "kernel \"" + name_ +
                                             "\": the number of work-items along axis " +
                                             std::to_string(axis) + " does not fit in 64 bits");
    }
  }
  const std::lock_guard lock(mutex_);
  set_arguments(launch);
  if (items[0] == 0 || items[1] == 0 || items[2] == 0) return;
  check(icd().clEnqueueNDRangeKernel(queue, kernel_.get(), kAxes, nullptr, items, group, 0, nullptr,
                                     out_event),
        "clEnqueueNDRangeKernel");
}

OwnedLaunch::OwnedLaunch(plugin::Ref<Kernel> kernel, const collet_plugin_launch_t& launch)
    : kernel_(std::move(kernel)),
      launch_(launch),
      arguments_(launch.arguments, launch.arguments + launch.argument_count) {
  // The call can still say so; later the stream would fail.
  kernel_->try_arguments(launch);
  for (const collet_plugin_argument_t& argument : arguments_) {
    if (argument.kind != COLLET_ARGUMENT_SCALAR) continue;
    const auto* const value = static_cast<const std::byte*>(argument.value);
    values_.insert(values_.end(), value, value + argument.size_bytes);
  }
}

void OwnedLaunch::operator()(cl_command_queue queue, cl_event* out_event) {
  const std::byte* value = values_.data();
  for (collet_plugin_argument_t& argument : arguments_) {
    if (argument.kind != COLLET_ARGUMENT_SCALAR) continue;
    argument.value = value;
    value += argument.size_bytes;
  }
  launch_.arguments = arguments_.data();
  kernel_->launch(queue, launch_, out_event);
}

}  // namespace collet::opencl
