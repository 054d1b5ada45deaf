// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <bit>
#include <collet/sdk/error.hpp>
#include <collet/sdk/handle.hpp>
#include <cstring>
#include <string>

#include "memory.hpp"

namespace collet::cpu {
namespace {

using plugin::Error;

std::uint64_t count_groups(const std::uint64_t (&grid)[3]) {
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return 0;
  std::uint64_t count = grid[0];
  if (__builtin_mul_overflow(count, grid[1], &count) ||
      __builtin_mul_overflow(count, grid[2], &count)) {
    throw Error(COLLET_ERROR_OVERFLOW, "the number of groups in the grid does not fit in 64 bits");
  }
  return count;
}

constexpr std::size_t round_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

}  // namespace

Launch::Launch(const Kernel& kernel, const collet_plugin_launch_t& launch)
    : program_(kernel.program), entry_(kernel.entry), group_count_(count_groups(launch.grid)) {
  std::copy_n(launch.grid, std::size(shape_.grid), shape_.grid);
  std::copy_n(launch.group, std::size(shape_.group), shape_.group);
  std::size_t value_bytes = 0;
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    place(i, launch.arguments[i], value_bytes);
  }
  if (value_bytes > sizeof(inline_values_)) {
    long_values_ = std::make_unique<Line[]>(round_up(value_bytes, kAlignment) / kAlignment);
  }
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    if (arguments_[i].kind != COLLET_ARGUMENT_SCALAR) continue;
    std::memcpy(values() + arguments_[i].offset, launch.arguments[i].value,
                entry_.argument_sizes[i]);
  }
}

void Launch::place(std::uint32_t index, const collet_plugin_argument_t& given,
                   std::size_t& value_bytes) {
  Argument& argument = arguments_[index];
  argument.kind = given.kind;
  switch (given.kind) {
    case COLLET_ARGUMENT_SCALAR: {
      const std::uint32_t size = entry_.argument_sizes[index];
      if (given.size_bytes != size) {
        throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                    "kernel \"" + entry_.name + "\", argument " + std::to_string(index) +
                        ": the scalar has " + std::to_string(given.size_bytes) +
                        " bytes, but the kernel takes " + std::to_string(size));
      }
      argument.offset = round_up(value_bytes, std::bit_ceil(size));
      value_bytes = argument.offset + size;
      break;
    }
    case COLLET_ARGUMENT_LOCAL:
      argument.offset = local_bytes_;
      // Local memory of no bytes has an address too.
      local_bytes_ += round_up(std::max<std::uint64_t>(given.size_bytes, 1), kAlignment);
      break;
    default:
      argument.memory = plugin::from_handle<Memory>(given.memory)->data() + given.offset_bytes;
      break;
  }
}

void* Launch::pointer_of(const Argument& argument, Line* local) const noexcept {
  switch (argument.kind) {
    case COLLET_ARGUMENT_SCALAR:
      return values() + argument.offset;
    case COLLET_ARGUMENT_LOCAL:
      return reinterpret_cast<std::byte*>(local) + argument.offset;
    default:
      return argument.memory;
  }
}

std::byte* Launch::values() const noexcept {
  return reinterpret_cast<std::byte*>(long_values_ ? long_values_.get() : inline_values_.data());
}

void Launch::run(Executor& executor) const {
  executor.parallel_ranges(
      group_count_, 1, [this](std::uint64_t begin, std::uint64_t end) { run_groups(begin, end); });
}

void Launch::run_groups(std::uint64_t begin, std::uint64_t end) const {
  std::unique_ptr<Line[]> local;
  if (local_bytes_ > 0) {
    local = std::make_unique_for_overwrite<Line[]>(local_bytes_ / kAlignment);
  }
  std::array<void*, COLLET_MAX_KERNEL_ARGUMENTS> pointers;
  for (std::size_t i = 0; i < entry_.argument_kinds.size(); ++i) {
    pointers[i] = pointer_of(arguments_[i], local.get());
  }
  collet_host_group_t group = shape_;
  group.group_id[0] = begin % group.grid[0];
  group.group_id[1] = begin / group.grid[0] % group.grid[1];
  group.group_id[2] = begin / group.grid[0] / group.grid[1];
  for (std::uint64_t i = begin; i < end; ++i) {
    entry_.run(&group, pointers.data());
    if (++group.group_id[0] < group.grid[0]) continue;
    group.group_id[0] = 0;
    if (++group.group_id[1] < group.grid[1]) continue;
    group.group_id[1] = 0;
    ++group.group_id[2];
  }
}

}  // namespace collet::cpu
