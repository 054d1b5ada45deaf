// SPDX-License-Identifier: Apache-2.0
// Kernels that show where they run and what they were given.
#include <collet/host_kernel.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace {

// out[linear index of the group] += 1 + that index; writes its group size to out[groups].
void count(const collet_host_group_t* group, void* const* arguments) {
  auto* out = static_cast<std::uint64_t*>(arguments[0]);
  const std::uint64_t at =
      (group->group_id[2] * group->grid[1] + group->group_id[1]) * group->grid[0] +
      group->group_id[0];
  out[at] += 1 + at;
}

// y[i] = a * x[i] + y[i]
void saxpy(const collet_host_group_t* group, void* const* arguments) {
  const auto* x = static_cast<const float*>(arguments[0]);
  auto* y = static_cast<float*>(arguments[1]);
  float a = 0;
  std::uint32_t n = 0;
  std::memcpy(&a, arguments[2], sizeof(a));
  std::memcpy(&n, arguments[3], sizeof(n));
  const std::uint64_t begin = group->group_id[0] * group->group[0];
  for (std::uint64_t i = begin; i < begin + group->group[0] && i < n; ++i) y[i] = a * x[i] + y[i];
}

// Writes its own pattern over two local memories and checks both after; out[group] = 1 if right.
void local(const collet_host_group_t* group, void* const* arguments) {
  auto* out = static_cast<std::uint32_t*>(arguments[0]);
  auto* first = static_cast<unsigned char*>(arguments[1]);
  auto* second = static_cast<unsigned char*>(arguments[2]);
  std::uint64_t sizes[2];
  std::memcpy(sizes, arguments[3], sizeof(sizes));
  const auto own = static_cast<unsigned char>(group->group_id[0] + 1);
  std::memset(first, own, sizes[0]);
  std::memset(second, own + 1, sizes[1]);
  std::this_thread::yield();
  bool right = reinterpret_cast<std::uintptr_t>(first) % 64 == 0 &&
               reinterpret_cast<std::uintptr_t>(second) % 64 == 0;
  for (std::uint64_t i = 0; i < sizes[0]; ++i) right = right && first[i] == own;
  for (std::uint64_t i = 0; i < sizes[1]; ++i) {
    right = right && second[i] == static_cast<unsigned char>(own + 1);
  }
  out[group->group_id[0]] = right ? 1 : 0;
}

// out[0] is raised once for each group, from whatever thread.
void touch(const collet_host_group_t*, void* const* arguments) {
  static_cast<std::atomic<std::uint64_t>*>(arguments[0])->fetch_add(1);
}

// Waits until two groups have come, of whatever launches.
void meet(const collet_host_group_t*, void* const* arguments) {
  auto& come = *static_cast<std::atomic<std::uint64_t>*>(arguments[0]);
  come.fetch_add(1);
  while (come.load() < 2) std::this_thread::yield();
}

// Copies a scalar of 64 bytes.
void wide(const collet_host_group_t*, void* const* arguments) {
  std::memcpy(arguments[0], arguments[1], COLLET_MAX_SCALAR_BYTES);
}

void fails(const collet_host_group_t*, void* const*) {
  throw std::runtime_error("the kernel has failed");
}

constexpr auto kBuffer = COLLET_ARGUMENT_BUFFER;
constexpr auto kScalar = COLLET_ARGUMENT_SCALAR;
constexpr auto kLocal = COLLET_ARGUMENT_LOCAL;

const collet_argument_kind_t kCountKinds[] = {kBuffer};
const std::uint32_t kCountSizes[] = {0};
const collet_argument_kind_t kSaxpyKinds[] = {kBuffer, kBuffer, kScalar, kScalar};
const std::uint32_t kSaxpySizes[] = {0, 0, 4, 4};
const collet_argument_kind_t kLocalKinds[] = {kBuffer, kLocal, kLocal, kScalar};
const std::uint32_t kLocalSizes[] = {0, 0, 0, 16};
const collet_argument_kind_t kWideKinds[] = {kBuffer, kScalar, kScalar, kScalar,
                                             kScalar, kScalar, kScalar};
const std::uint32_t kWideSizes[] = {0, 64, 64, 64, 64, 64, 1};

const collet_host_kernel_t kKernels[] = {
    {"count", count, 1, {0, 0, 0}, kCountKinds, kCountSizes},
    {"saxpy", saxpy, 4, {256, 1, 1}, kSaxpyKinds, kSaxpySizes},
    {"local", local, 4, {0, 0, 0}, kLocalKinds, kLocalSizes},
    {"touch", touch, 1, {0, 0, 0}, kCountKinds, kCountSizes},
    {"meet", meet, 1, {0, 0, 0}, kCountKinds, kCountSizes},
    {"wide", wide, 7, {0, 0, 0}, kWideKinds, kWideSizes},
    {"fails", fails, 0, {0, 0, 0}, nullptr, nullptr},
};

const collet_host_module_t kModule = {sizeof(collet_host_module_t), sizeof(collet_host_kernel_t),
                                      std::size(kKernels), 0, kKernels};

}  // namespace

extern "C" const collet_host_module_t* collet_host_module_v1(void) { return &kModule; }
