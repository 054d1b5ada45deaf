// SPDX-License-Identifier: Apache-2.0
/** One launch of a "host-so" kernel: its arguments, and the calls for its groups. */
#pragma once

#include <collet/plugin/program.h>
#include <collet/sdk/error.hpp>
#include <collet/sdk/host_so/program.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace collet::plugin::host_so {

/** A launch with copies of its arguments; keeps the program. */
class Launch {
 public:
  /** Where kernels find a memory of the plugin. */
  using AddressOf = std::byte* (*)(collet_plugin_memory_t* memory);

  /** @throws Error INVALID_ARGUMENT for a scalar of a wrong size, OVERFLOW for the grid. */
  Launch(const Kernel& kernel, const collet_plugin_launch_t& launch, AddressOf address_of);
  /** Moves no more than there is of arguments and scalars: most of the room is seldom used. */
  Launch(Launch&& other) noexcept;

  [[nodiscard]] std::uint64_t group_count() const noexcept { return group_count_; }
  /** Runs groups [begin, end), counted along x, then y, then z. Several threads may do so. */
  void run_groups(std::uint64_t begin, std::uint64_t end) const;

 private:
  /** A cache line: what local memory is aligned to, and the largest scalars. */
  static constexpr std::size_t kAlignment = 64;
  /** Enough for the arguments and the scalars of almost any kernel, so that it needs no memory. */
  static constexpr std::size_t kInlineArguments = 12;
  static constexpr std::size_t kInlineBytes = 96;

  struct alignas(kAlignment) Line {
    std::byte bytes[kAlignment];
  };
  struct Argument {
    collet_argument_kind_t kind;
    union {
      /** SCALAR, LOCAL: where it is among the scalars, or in the local memory of the group. */
      std::size_t offset;
      /** BUFFER: the address. */
      void* memory;
    };
  };
  /** Where the scalars are, and how far they are aligned. */
  struct Scalars {
    std::size_t size_bytes = 0;
    std::size_t alignment = 1;
  };

  /** Makes room for scalar `index` after the others; gives its place. */
  [[nodiscard]] std::size_t place_scalar(std::uint32_t index, std::uint64_t given_bytes,
                                         Scalars& scalars) const;
  void place_arguments(const collet_plugin_launch_t& launch, AddressOf address_of);
  [[nodiscard]] Argument* arguments() noexcept;
  [[nodiscard]] const Argument* arguments() const noexcept;
  [[nodiscard]] void* pointer_of(const Argument& argument, Line* local) const noexcept;
  [[nodiscard]] std::byte* values() const noexcept;

  Ref<Program> program_;
  const KernelEntry& entry_;
  collet_host_group_t shape_{};
  std::uint64_t group_count_;
  std::size_t local_bytes_ = 0;
  std::size_t inline_value_bytes_ = 0;
  /** Used where arguments or scalars do not fit in the rooms below. */
  std::unique_ptr<Argument[]> more_arguments_;
  std::unique_ptr<Line[]> more_values_;
  std::array<Argument, kInlineArguments> inline_arguments_;
  /** Scalars; a kernel is given pointers to them, so they are not const. */
  alignas(std::max_align_t) mutable std::byte inline_values_[kInlineBytes];
};

namespace detail {

inline std::uint64_t count_groups(const std::uint64_t (&grid)[3]) {
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

}  // namespace detail

inline Launch::Launch(const Kernel& kernel, const collet_plugin_launch_t& launch,
                      AddressOf address_of)
    : program_(kernel.program),
      entry_(kernel.entry),
      group_count_(detail::count_groups(launch.grid)) {
  std::copy_n(launch.grid, std::size(shape_.grid), shape_.grid);
  std::copy_n(launch.group, std::size(shape_.group), shape_.group);
  if (launch.argument_count > kInlineArguments) {
    more_arguments_ = std::make_unique_for_overwrite<Argument[]>(launch.argument_count);
  }
  place_arguments(launch, address_of);
}

inline Launch::Launch(Launch&& other) noexcept
    : program_(std::move(other.program_)),
      entry_(other.entry_),
      shape_(other.shape_),
      group_count_(other.group_count_),
      local_bytes_(other.local_bytes_),
      inline_value_bytes_(other.inline_value_bytes_),
      more_arguments_(std::move(other.more_arguments_)),
      more_values_(std::move(other.more_values_)) {
  if (!more_arguments_) {
    std::copy_n(other.inline_arguments_.begin(), entry_.argument_kinds.size(),
                inline_arguments_.begin());
  }
  std::memcpy(inline_values_, other.inline_values_, inline_value_bytes_);
}

inline void Launch::place_arguments(const collet_plugin_launch_t& launch, AddressOf address_of) {
  Scalars scalars;
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    const collet_plugin_argument_t& given = launch.arguments[i];
    Argument& argument = arguments()[i];
    argument.kind = given.kind;
    if (given.kind == COLLET_ARGUMENT_SCALAR) {
      argument.offset = place_scalar(i, given.size_bytes, scalars);
    } else if (given.kind == COLLET_ARGUMENT_LOCAL) {
      argument.offset = local_bytes_;
      // Local memory of no bytes has an address too.
      local_bytes_ += detail::round_up(std::max<std::uint64_t>(given.size_bytes, 1), kAlignment);
    } else {
      argument.memory = address_of(given.memory) + given.offset_bytes;
    }
  }
  if (scalars.size_bytes > kInlineBytes || scalars.alignment > alignof(std::max_align_t)) {
    more_values_ = std::make_unique_for_overwrite<Line[]>(
        detail::round_up(scalars.size_bytes, kAlignment) / kAlignment);
  } else {
    inline_value_bytes_ = scalars.size_bytes;
  }
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    if (arguments()[i].kind != COLLET_ARGUMENT_SCALAR) continue;
    std::memcpy(values() + arguments()[i].offset, launch.arguments[i].value,
                entry_.argument_sizes[i]);
  }
}

inline Launch::Argument* Launch::arguments() noexcept {
  return more_arguments_ ? more_arguments_.get() : inline_arguments_.data();
}

inline const Launch::Argument* Launch::arguments() const noexcept {
  return more_arguments_ ? more_arguments_.get() : inline_arguments_.data();
}

inline std::size_t Launch::place_scalar(std::uint32_t index, std::uint64_t given_bytes,
                                        Scalars& scalars) const {
  const std::uint32_t size = entry_.argument_sizes[index];
  if (given_bytes != size) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "kernel \"" + entry_.name + "\", argument " + std::to_string(index) +
                    ": the scalar has " + std::to_string(given_bytes) +
                    " bytes, but the kernel takes " + std::to_string(size));
  }
  const std::size_t alignment = std::bit_ceil(size);
  const std::size_t offset = detail::round_up(scalars.size_bytes, alignment);
  scalars = {offset + size, std::max(scalars.alignment, alignment)};
  return offset;
}

inline void* Launch::pointer_of(const Argument& argument, Line* local) const noexcept {
  switch (argument.kind) {
    case COLLET_ARGUMENT_SCALAR:
      return values() + argument.offset;
    case COLLET_ARGUMENT_LOCAL:
      return reinterpret_cast<std::byte*>(local) + argument.offset;
    default:
      return argument.memory;
  }
}

inline std::byte* Launch::values() const noexcept {
  return more_values_ ? more_values_[0].bytes : inline_values_;
}

inline void Launch::run_groups(std::uint64_t begin, std::uint64_t end) const {
  // An empty grid has no indices to count with.
  if (begin == end) return;
  std::unique_ptr<Line[]> local;
  if (local_bytes_ > 0) {
    local = std::make_unique_for_overwrite<Line[]>(local_bytes_ / kAlignment);
  }
  std::array<void*, COLLET_MAX_KERNEL_ARGUMENTS> pointers;
  for (std::size_t i = 0; i < entry_.argument_kinds.size(); ++i) {
    pointers[i] = pointer_of(arguments()[i], local.get());
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

}  // namespace collet::plugin::host_so
