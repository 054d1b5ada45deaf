// SPDX-License-Identifier: Apache-2.0
/** One launch of a kernel: its arguments, and its groups spread over threads. */
#pragma once

#include <collet/plugin/program.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "executor.hpp"
#include "program.hpp"
#include "ref.hpp"

namespace collet::cpu {

/** A launch with copies of its arguments; keeps the program. */
class Launch {
 public:
  /** @throws Error INVALID_ARGUMENT for a scalar of a wrong size, OVERFLOW for the grid. */
  Launch(const Kernel& kernel, const collet_plugin_launch_t& launch);

  void run(Executor& executor) const;

 private:
  /** A cache line: what local memory is aligned to, and the largest scalars. */
  static constexpr std::size_t kAlignment = 64;
  /** Enough for the scalars of almost any kernel. */
  static constexpr std::size_t kInlineLines = 4;

  struct alignas(kAlignment) Line {
    std::byte bytes[kAlignment];
  };
  struct Argument {
    collet_argument_kind_t kind;
    /** Where the value is among the scalars, or the local memory in that of the group. */
    std::size_t offset;
    /** BUFFER: the address. */
    void* memory;
  };

  /** Notes argument `index`, and makes room for it after `value_bytes` of scalars. */
  void place(std::uint32_t index, const collet_plugin_argument_t& given, std::size_t& value_bytes);
  /** Groups [begin, end), counted along x, then y, then z. */
  void run_groups(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] void* pointer_of(const Argument& argument, Line* local) const noexcept;
  [[nodiscard]] std::byte* values() const noexcept;

  Ref<Program> program_;
  const KernelEntry& entry_;
  collet_host_group_t shape_{};
  std::uint64_t group_count_;
  std::size_t local_bytes_ = 0;
  std::array<Argument, COLLET_MAX_KERNEL_ARGUMENTS> arguments_{};
  /** Scalars; a kernel is given pointers to them, so they are not const. */
  mutable std::array<Line, kInlineLines> inline_values_{};
  /** Used where they do not fit in there. */
  std::unique_ptr<Line[]> long_values_;
};

}  // namespace collet::cpu
