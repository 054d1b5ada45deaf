// SPDX-License-Identifier: Apache-2.0
/** What the operating system tells about the machine. */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace collet::cpu {

struct ProcessorInfo {
  std::string name;
  std::string vendor;
  /** As in /proc/cpuinfo: words between spaces, with a space before and after. */
  std::string features;

  [[nodiscard]] bool has(std::string_view feature) const {
    return features.find(" " + std::string(feature) + " ") != std::string::npos;
  }
};

[[nodiscard]] ProcessorInfo processor_info();

/** The widest vector instructions, such as "AVX-512"; the architecture where none is known. */
[[nodiscard]] std::string vector_level(const ProcessorInfo& processor);

struct MemoryInfo {
  std::uint64_t total_bytes = 0;
  /** What can be had without swapping. */
  std::uint64_t available_bytes = 0;
};

[[nodiscard]] MemoryInfo memory_info();

}  // namespace collet::cpu
