// SPDX-License-Identifier: Apache-2.0
//
// The references of the kernel rows: the same as loops, written by hand for the format "host-so".
#include <collet/host_kernel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace {

// What of [0, count) is a group's; the groups have as much each, in order.
struct Range {
  std::size_t begin;
  std::size_t end;
};

Range part_of(const collet_host_group_t& group, std::uint64_t count) {
  const std::uint64_t length = (count - 1) / group.grid[0] + 1;
  const std::uint64_t begin = std::min(count, group.group_id[0] * length);
  return {begin, std::min(count, begin + length)};
}

void saxpy(const collet_host_group_t* group, void* const* arguments) {
  const auto* const __restrict x = static_cast<const float*>(arguments[0]);
  auto* const __restrict y = static_cast<float*>(arguments[1]);
  const float a = *static_cast<const float*>(arguments[2]);
  const auto [begin, end] = part_of(*group, *static_cast<const std::uint64_t*>(arguments[3]));
  for (std::size_t i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

// With as many sums side by side as keep the adders busy.
void block_sum(const collet_host_group_t* group, void* const* arguments) {
  constexpr std::size_t kLanes = 64;
  const auto* const __restrict x = static_cast<const float*>(arguments[0]);
  const auto [begin, end] = part_of(*group, *static_cast<const std::uint64_t*>(arguments[2]));
  float sums[kLanes] = {};
  std::size_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane];
  }
  float sum = 0;
  for (; i < end; ++i) sum += x[i];
  for (const float lane : sums) sum += lane;
  static_cast<float*>(arguments[1])[group->group_id[0]] = sum;
}

constexpr collet_argument_kind_t kSaxpyKinds[] = {COLLET_ARGUMENT_BUFFER, COLLET_ARGUMENT_BUFFER,
                                                  COLLET_ARGUMENT_SCALAR, COLLET_ARGUMENT_SCALAR};
constexpr std::uint32_t kSaxpySizes[] = {0, 0, sizeof(float), sizeof(std::uint64_t)};
constexpr collet_argument_kind_t kSumKinds[] = {COLLET_ARGUMENT_BUFFER, COLLET_ARGUMENT_BUFFER,
                                                COLLET_ARGUMENT_SCALAR};
constexpr std::uint32_t kSumSizes[] = {0, 0, sizeof(std::uint64_t)};

constexpr collet_host_kernel_t kKernels[] = {
    {"saxpy", saxpy, 4, {0, 0, 0}, kSaxpyKinds, kSaxpySizes},
    {"block_sum", block_sum, 3, {0, 0, 0}, kSumKinds, kSumSizes}};
constexpr collet_host_module_t kModule = {sizeof(collet_host_module_t),
                                          sizeof(collet_host_kernel_t), 2, 0, kKernels};

}  // namespace

const collet_host_module_t* collet_host_module_v1() { return &kModule; }
