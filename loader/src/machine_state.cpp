// SPDX-License-Identifier: Apache-2.0
#include "machine_state.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "host_services.hpp"

namespace collet::loader {
namespace {

// The linker's cache is written anew when a library is installed; folders get another time when
// something in them comes or goes.
constexpr const char* kWatched[] = {
    "/etc/ld.so.cache", "/etc/OpenCL/vendors", "/dev", "/dev/dri", "/dev/nvidiactl", "/dev/kfd",
    "/usr/bin",
};

constexpr const char* kRead[] = {
    "/proc/sys/kernel/random/boot_id",
    "/proc/driver/nvidia/version",
};

// Prefixes of variables that loaders, drivers, runtimes and compilers are found by or read.
constexpr std::string_view kPrefixes[] = {
    "LD_",       "CUDA_",   "NVIDIA_", "NVCC_", "OCL_",    "OPENCL_",  "POCL_",        "RUSTICL_",
    "OCLGRIND_", "HIP_",    "ROCR_",   "HSA_",  "GPU_",    "AMD_",     "ZE_",          "ZET_",
    "SYCL_",     "ONEAPI_", "NEO",     "IGC_",  "MESA_",   "GALLIUM_", "LP_",          "LIBGL_",
    "VK_",       "OMP_",    "KMP_",    "DNNL_", "ONEDNN_", "PATH=",    "COLLET_HOST_",
};

std::string head_of(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return "-";
  }
  std::array<char, 512> block;
  const ssize_t size = read(file, block.data(), block.size());
  close(file);
  return size > 0 ? std::string(block.data(), static_cast<std::size_t>(size)) : "-";
}

std::string state_of(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) {
    return "-";
  }
  return std::to_string(status.st_ino) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

std::string processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return "-";
  }
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      text += std::to_string(cpu) + ",";
    }
  }
  return text;
}

}  // namespace

std::string machine_state() {
  std::string text;
  for (const char* path : kWatched) {
    text += std::string(path) + " " + state_of(path) + "\n";
  }
  for (const char* path : kRead) {
    text += std::string(path) + " " + head_of(path) + "\n";
  }
  return text + "processors " + processors() + "\n";
}

std::string device_environment(std::string_view backend) {
  const std::string options = option_variable(backend, "");
  std::vector<std::string_view> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool known =
        std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                    [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (known || text.starts_with(options)) {
      found.push_back(text);
    }
  }
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string_view variable : found) {
    text.append(variable) += '\n';
  }
  return text;
}

}  // namespace collet::loader
