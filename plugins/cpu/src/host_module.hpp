// SPDX-License-Identifier: Apache-2.0
/** The table of kernels that a "host-so" object exports. */
#pragma once

#include <collet/host_kernel.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace collet::cpu {

/** A kernel as the object's table describes it, checked and copied. */
struct KernelEntry {
  std::string name;
  collet_host_kernel_fn_t run = nullptr;
  std::array<std::uint32_t, 3> required_group{};
  std::vector<collet_argument_kind_t> argument_kinds;
  /** 0 for what is no scalar. */
  std::vector<std::uint32_t> argument_sizes;
};

/** @throws Error BUILD_FAILED that says which entry of the table is wrong, and how. */
[[nodiscard]] std::vector<KernelEntry> read_host_module(const collet_host_module_t* module);

}  // namespace collet::cpu
