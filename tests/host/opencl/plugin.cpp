// SPDX-License-Identifier: Apache-2.0
// A back end over a driver with threads of its own, as real ones have: it opens OpenCL, and keeps a
// context and a queue of PoCL's. Commands are done at once, in host memory.
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/fake_device.hpp"

namespace {

// Declared here, so that only the run of the tests needs OpenCL.
using ClStatus = std::int32_t;
using GetPlatforms = ClStatus (*)(std::uint32_t, void**, std::uint32_t*);
using GetPlatformInfo = ClStatus (*)(void*, std::uint32_t, std::size_t, void*, std::size_t*);
using GetDevices = ClStatus (*)(void*, std::uint64_t, std::uint32_t, void**, std::uint32_t*);
using CreateContext = void* (*)(const std::intptr_t*, std::uint32_t, void* const*, void*, void*,
                                ClStatus*);
using CreateQueue = void* (*)(void*, void*, std::uint64_t, ClStatus*);
using CreateBuffer = void* (*)(void*, std::uint64_t, std::size_t, void*, ClStatus*);
using FillBuffer = ClStatus (*)(void*, void*, const void*, std::size_t, std::size_t, std::size_t,
                                std::uint32_t, const void*, void*);
using Finish = ClStatus (*)(void*);

constexpr std::uint32_t kPlatformName = 0x0902;
constexpr std::uint64_t kAllDevices = 0xffffffff;
constexpr std::uint64_t kReadWrite = 1;

const collet_host_t* host = nullptr;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + "; the package pocl-opencl-icd has what this test needs");
}

template <class Function>
Function find(const char* name) {
  static void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  void* function = library != nullptr ? dlsym(library, name) : nullptr;
  if (function == nullptr) {
    fail(dlerror());
  }
  return reinterpret_cast<Function>(function);
}

void check(ClStatus status, const char* function) {
  if (status != 0) {
    fail(std::string(function) + " answers " + std::to_string(status));
  }
}

void* find_pocl() {
  std::array<void*, 16> platforms{};
  std::uint32_t count = 0;
  check(find<GetPlatforms>("clGetPlatformIDs")(platforms.size(), platforms.data(), &count),
        "clGetPlatformIDs");
  for (std::uint32_t i = 0; i < count && i < platforms.size(); ++i) {
    char name[256] = "";
    find<GetPlatformInfo>("clGetPlatformInfo")(platforms[i], kPlatformName, sizeof name - 1, name,
                                               nullptr);
    if (std::string_view(name) == "Portable Computing Language") {
      return platforms[i];
    }
  }
  fail("PoCL is not among the " + std::to_string(count) + " OpenCL platforms");
}

std::ptrdiff_t count_threads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

// Nothing of it is ever released.
void start_driver() {
  const std::ptrdiff_t before = count_threads();
  void* device = nullptr;
  ClStatus status = 0;
  check(find<GetDevices>("clGetDeviceIDs")(find_pocl(), kAllDevices, 1, &device, nullptr),
        "clGetDeviceIDs");
  void* context =
      find<CreateContext>("clCreateContext")(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  void* queue = find<CreateQueue>("clCreateCommandQueue")(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  void* buffer = find<CreateBuffer>("clCreateBuffer")(context, kReadWrite, 4096, nullptr, &status);
  check(status, "clCreateBuffer");
  const std::uint32_t pattern = 7;
  check(find<FillBuffer>("clEnqueueFillBuffer")(queue, buffer, &pattern, sizeof pattern, 0, 4096, 0,
                                                nullptr, nullptr),
        "clEnqueueFillBuffer");
  check(find<Finish>("clFinish")(queue), "clFinish");
  if (count_threads() <= before) {
    fail("PoCL has started no thread");
  }
}

collet_status_t device_count(std::uint32_t* out_count) {
  *out_count = 1;
  return COLLET_OK;
}

collet_status_t device_properties(std::uint32_t /*index*/,
                                  collet_device_properties_t* out_properties) {
  collet::test::fake_properties(COLLET_DEVICE_KIND_CPU, 1024, out_properties);
  return COLLET_OK;
}

collet_status_t device_open(std::uint32_t index, collet_plugin_device_t** out_device) {
  try {
    start_driver();
    return collet::test::fake_device_open(index, out_device);
  } catch (const std::exception& error) {
    const auto* errors =
        static_cast<const collet_host_error_t*>(host->get_interface(host, COLLET_HOST_ERROR_V1));
    errors->report(host, COLLET_ERROR_UNAVAILABLE, 0, nullptr, error.what());
    return COLLET_ERROR_UNAVAILABLE;
  }
}

constexpr collet_plugin_t kRoot = {sizeof(collet_plugin_t),
                                   COLLET_ABI_VERSION,
                                   "pocl",
                                   "1.0",
                                   "Collet's tests",
                                   device_count,
                                   device_properties,
                                   device_open,
                                   collet::test::fake_device_close,
                                   collet::test::fake_device_interface};

}  // namespace

collet_status_t collet_plugin_query_v1(const collet_host_t* given_host,
                                       const collet_plugin_t** out_plugin) {
  host = given_host;
  *out_plugin = &kRoot;
  return COLLET_OK;
}
