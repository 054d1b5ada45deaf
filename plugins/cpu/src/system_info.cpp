// SPDX-License-Identifier: Apache-2.0
#include "system_info.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <utility>

namespace collet::cpu {
namespace {

/** Splits "key   : value"; the value is empty where there is no colon. */
std::pair<std::string_view, std::string_view> key_and_value(std::string_view line) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {line, {}};
  const std::string_view key = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(kBlank), value.size()));
  return {key.substr(0, key.find_last_not_of(kBlank) + 1), value};
}

std::string machine() {
  utsname names{};
  return uname(&names) == 0 ? names.machine : "";
}

std::string vendor_of(std::string_view vendor_id) {
  if (vendor_id == "GenuineIntel") return "Intel";
  if (vendor_id == "AuthenticAMD") return "AMD";
  return std::string(vendor_id);
}

std::uint64_t bytes_of(std::string_view kibibytes) {
  constexpr std::uint64_t kKibi = 1024;
  std::uint64_t value = 0;
  std::from_chars(kibibytes.data(), kibibytes.data() + kibibytes.size(), value);
  return value * kKibi;
}

std::uint64_t pages_in_bytes(int name) {
  const long pages = sysconf(name);
  const long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
             : 0;
}

}  // namespace

ProcessorInfo processor_info() {
  ProcessorInfo info;
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const auto [key, value] = key_and_value(line);
    if (key == "model name" && info.name.empty()) info.name = value;
    if (key == "vendor_id" && info.vendor.empty()) info.vendor = vendor_of(value);
    // The first is that of x86, the other that of Arm.
    if ((key == "flags" || key == "Features") && info.features.empty()) {
      info.features = " " + std::string(value) + " ";
    }
  }
  if (info.name.empty()) info.name = machine() + " processor";
  return info;
}

std::string vector_level(const ProcessorInfo& processor) {
  for (const auto& [feature, level] :
       {std::pair{"avx512f", "AVX-512"}, std::pair{"avx2", "AVX2"}, std::pair{"avx", "AVX"},
        std::pair{"sse4_2", "SSE4.2"}, std::pair{"sve2", "SVE2"}, std::pair{"sve", "SVE"},
        std::pair{"asimd", "NEON"}}) {
    if (processor.has(feature)) return level;
  }
  return machine();
}

MemoryInfo memory_info() {
  MemoryInfo info;
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line) && (info.total_bytes == 0 || info.available_bytes == 0)) {
    const auto [key, value] = key_and_value(line);
    if (key == "MemTotal") info.total_bytes = bytes_of(value);
    if (key == "MemAvailable") info.available_bytes = bytes_of(value);
  }
  if (info.total_bytes == 0) info.total_bytes = pages_in_bytes(_SC_PHYS_PAGES);
  if (info.available_bytes == 0) info.available_bytes = pages_in_bytes(_SC_AVPHYS_PAGES);
  return info;
}

}  // namespace collet::cpu
