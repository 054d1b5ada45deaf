// SPDX-License-Identifier: Apache-2.0
/** The table of kernels that a "host-so" object exports. */
#pragma once

#include <collet/host_kernel.h>
#include <collet/sdk/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace collet::plugin::host_so {

/** A kernel as the object's table describes it, checked and copied. */
struct KernelEntry {
  std::string name;
  collet_host_kernel_fn_t run = nullptr;
  std::array<std::uint32_t, 3> required_group{};
  std::vector<collet_argument_kind_t> argument_kinds;
  /** 0 for what is no scalar. */
  std::vector<std::uint32_t> argument_sizes;
};

namespace detail {

[[noreturn]] inline void refuse(const std::string& what) {
  throw Error(COLLET_ERROR_BUILD_FAILED, "its table of kernels is malformed: " + what);
}

[[noreturn]] inline void refuse(std::uint32_t index, const char* name, const std::string& what) {
  std::string text = "kernel " + std::to_string(index);
  if (name != nullptr) text += " (\"" + std::string(name) + "\")";
  refuse(text + " " + what);
}

/** Values of foreign memory need not be enumerators. */
inline std::uint32_t raw_kind(const collet_host_kernel_t& kernel, std::uint32_t argument) {
  std::uint32_t value = 0;
  static_assert(sizeof(value) == sizeof(*kernel.argument_kinds));
  std::memcpy(&value, kernel.argument_kinds + argument, sizeof(value));
  return value;
}

inline void read_arguments(std::uint32_t index, const collet_host_kernel_t& kernel,
                           KernelEntry& entry) {
  if (kernel.argument_count > COLLET_MAX_KERNEL_ARGUMENTS) {
    refuse(index, kernel.name, "has " + std::to_string(kernel.argument_count) + " arguments");
  }
  if (kernel.argument_count == 0) return;
  if (kernel.argument_kinds == nullptr || kernel.argument_sizes == nullptr) {
    refuse(index, kernel.name, "has arguments, but no kinds or sizes of them");
  }
  for (std::uint32_t i = 0; i < kernel.argument_count; ++i) {
    const std::uint32_t kind = raw_kind(kernel, i);
    if (kind < COLLET_ARGUMENT_BUFFER || kind > COLLET_ARGUMENT_LOCAL) {
      refuse(index, kernel.name,
             "has an argument " + std::to_string(i) + " of kind " + std::to_string(kind));
    }
    const std::uint32_t size = kernel.argument_sizes[i];
    const bool is_scalar = kind == COLLET_ARGUMENT_SCALAR;
    if (is_scalar ? size == 0 || size > COLLET_MAX_SCALAR_BYTES : size != 0) {
      refuse(index, kernel.name,
             "has an argument " + std::to_string(i) + " of " + std::to_string(size) + " bytes");
    }
    entry.argument_kinds.push_back(static_cast<collet_argument_kind_t>(kind));
    entry.argument_sizes.push_back(size);
  }
}

inline void read_group(std::uint32_t index, const collet_host_kernel_t& kernel,
                       std::uint32_t max_items, KernelEntry& entry) {
  std::copy_n(kernel.required_group, entry.required_group.size(), entry.required_group.begin());
  const auto zeros = std::count(entry.required_group.begin(), entry.required_group.end(), 0U);
  if (zeros == 3) return;
  std::uint64_t items = 1;
  for (const std::uint32_t size : entry.required_group) {
    items = std::min<std::uint64_t>(size, std::uint64_t{max_items} + 1) * items;
  }
  if (zeros != 0 || items > max_items) {
    refuse(index, kernel.name,
           "wants a group of another size than 1 to " + std::to_string(max_items) + " items");
  }
}

inline KernelEntry read_kernel(std::uint32_t index, const collet_host_kernel_t& kernel,
                               std::uint32_t max_items) {
  if (kernel.name == nullptr || *kernel.name == '\0') refuse(index, nullptr, "has no name");
  if (kernel.run == nullptr) refuse(index, kernel.name, "has no function");
  KernelEntry entry;
  entry.name = kernel.name;
  entry.run = kernel.run;
  read_group(index, kernel, max_items, entry);
  read_arguments(index, kernel, entry);
  return entry;
}

}  // namespace detail

/**
 * Checks and copies a table.
 *
 * @param max_group_items  Largest group that the device runs.
 *
 * @throws Error BUILD_FAILED that says which entry of the table is wrong, and how.
 */
[[nodiscard]] inline std::vector<KernelEntry> read_module(const collet_host_module_t* module,
                                                          std::uint32_t max_group_items) {
  if (module == nullptr) detail::refuse("there is none");
  if (module->struct_size < sizeof(collet_host_module_t) ||
      module->kernel_struct_size < sizeof(collet_host_kernel_t) ||
      module->kernel_struct_size % alignof(collet_host_kernel_t) != 0) {
    detail::refuse("a size in its head is too small; it was built with other headers");
  }
  if (module->kernel_count > 0 && module->kernels == nullptr)
    detail::refuse("its entries are missing");

  std::vector<KernelEntry> entries;
  const auto* at = reinterpret_cast<const std::byte*>(module->kernels);
  for (std::uint32_t i = 0; i < module->kernel_count; ++i, at += module->kernel_struct_size) {
    KernelEntry entry =
        detail::read_kernel(i, *reinterpret_cast<const collet_host_kernel_t*>(at), max_group_items);
    const auto same = [&](const KernelEntry& other) { return other.name == entry.name; };
    if (std::any_of(entries.begin(), entries.end(), same)) {
      detail::refuse(i, entry.name.c_str(), "has the name of an earlier one");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace collet::plugin::host_so
