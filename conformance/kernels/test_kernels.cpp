// SPDX-License-Identifier: Apache-2.0
/** Kernels in the format host-so by which cases look at launches. */
#include <collet/host_kernel.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace {

using Group = collet_host_group_t;

std::uint64_t linear(const Group& group) {
  return group.group_id[0] +
         group.grid[0] * (group.group_id[1] + group.grid[1] * group.group_id[2]);
}

std::uint64_t items_of(const Group& group) {
  return std::uint64_t{group.group[0]} * group.group[1] * group.group[2];
}

template <class Value>
Value scalar(void* const* arguments, int index) {
  Value value;
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

void add_one(std::uint32_t& counter) {
  std::atomic_ref<std::uint32_t>(counter).fetch_add(1, std::memory_order_relaxed);
}

/** stamp(counts, ids): counts[group] += 1; ids[group] = its index, grid and size. */
void stamp(const Group* group, void* const* arguments) {
  const std::uint64_t at = linear(*group);
  add_one(static_cast<std::uint32_t*>(arguments[0])[at]);
  auto* const id = static_cast<std::uint64_t*>(arguments[1]) + at * 9;
  for (int axis = 0; axis < 3; ++axis) {
    id[axis] = group->group_id[axis];
    id[3 + axis] = group->grid[axis];
    id[6 + axis] = group->group[axis];
  }
}

/** items(counts): counts[item] += 1, for each item of the launch along x, y and z. */
void items(const Group* group, void* const* arguments) {
  auto* const counts = static_cast<std::uint32_t*>(arguments[0]);
  const std::uint64_t count = items_of(*group);
  for (std::uint64_t item = 0; item < count; ++item) {
    add_one(counts[linear(*group) * count + item]);
  }
}

/** scalars(out, u8, u16, u32, u64, 64 bytes): writes the values one after another. */
void scalars(const Group*, void* const* arguments) {
  auto* out = static_cast<std::uint8_t*>(arguments[0]);
  constexpr std::size_t kSizes[] = {1, 2, 4, 8, 64};
  for (int i = 0; i < 5; ++i) {
    std::memcpy(out, arguments[i + 1], kSizes[i]);
    out += kSizes[i];
  }
}

/** set(out, value): out[0] = value, a u32. */
void set(const Group*, void* const* arguments) {
  *static_cast<std::uint32_t*>(arguments[0]) = scalar<std::uint32_t>(arguments, 1);
}

/** append(log, value): log[++log[0]] = value, all u32. For one group. */
void append(const Group*, void* const* arguments) {
  auto* const log = static_cast<std::uint32_t*>(arguments[0]);
  log[++log[0]] = scalar<std::uint32_t>(arguments, 1);
}

/** address(out, memory): out[0] = the address of memory. */
void address(const Group*, void* const* arguments) {
  *static_cast<std::uint64_t*>(arguments[0]) = reinterpret_cast<std::uintptr_t>(arguments[1]);
}

/**
 * locals(out, a, b, a_size, b_size): fills both local memories with bytes of this group, and finds
 * them again; out[group] = 1, or else which was disturbed.
 */
void locals(const Group* group, void* const* arguments) {
  auto* const a = static_cast<std::uint8_t*>(arguments[1]);
  auto* const b = static_cast<std::uint8_t*>(arguments[2]);
  const auto a_size = scalar<std::uint64_t>(arguments, 3);
  const auto b_size = scalar<std::uint64_t>(arguments, 4);
  const std::uint64_t at = linear(*group);
  std::uint32_t verdict = 1;
  if (reinterpret_cast<std::uintptr_t>(a) % 64 != 0) verdict = 2;
  if (reinterpret_cast<std::uintptr_t>(b) % 64 != 0) verdict = 3;
  for (unsigned round = 0; round < 3 && verdict == 1; ++round) {
    const auto mark = static_cast<std::uint8_t>(at * 3 + round);
    for (std::uint64_t i = 0; i < a_size; ++i) a[i] = static_cast<std::uint8_t>(mark + i);
    for (std::uint64_t i = 0; i < b_size; ++i) b[i] = static_cast<std::uint8_t>(~(mark + i));
    for (std::uint64_t i = 0; i < a_size; ++i) {
      if (a[i] != static_cast<std::uint8_t>(mark + i)) verdict = 4;
    }
    for (std::uint64_t i = 0; i < b_size; ++i) {
      if (b[i] != static_cast<std::uint8_t>(~(mark + i))) verdict = 5;
    }
  }
  static_cast<std::uint32_t*>(arguments[0])[at] = verdict;
}

/** fail(): a command that fails while it runs. */
void fail(const Group*, void* const*) { throw std::runtime_error("the kernel fails on purpose"); }

/** shaped(counts): as items; only for groups of 4 x 2 x 3. */
void shaped(const Group* group, void* const* arguments) { items(group, arguments); }

constexpr collet_argument_kind_t kBuffer = COLLET_ARGUMENT_BUFFER;
constexpr collet_argument_kind_t kScalar = COLLET_ARGUMENT_SCALAR;
constexpr collet_argument_kind_t kLocal = COLLET_ARGUMENT_LOCAL;

constexpr collet_argument_kind_t kBuffers[] = {kBuffer, kBuffer};
constexpr std::uint32_t kBufferSizes[] = {0, 0};
constexpr collet_argument_kind_t kScalars[] = {kBuffer, kScalar, kScalar,
                                               kScalar, kScalar, kScalar};
constexpr std::uint32_t kScalarSizes[] = {0, 1, 2, 4, 8, 64};
constexpr std::uint32_t kSetSizes[] = {0, 4};
constexpr collet_argument_kind_t kLocals[] = {kBuffer, kLocal, kLocal, kScalar, kScalar};
constexpr std::uint32_t kLocalSizes[] = {0, 0, 0, 8, 8};

constexpr collet_host_kernel_t kKernels[] = {
    {"stamp", stamp, 2, {0, 0, 0}, kBuffers, kBufferSizes},
    {"items", items, 1, {0, 0, 0}, kBuffers, kBufferSizes},
    {"scalars", scalars, 6, {0, 0, 0}, kScalars, kScalarSizes},
    {"set", set, 2, {0, 0, 0}, kScalars, kSetSizes},
    {"append", append, 2, {0, 0, 0}, kScalars, kSetSizes},
    {"address", address, 2, {0, 0, 0}, kBuffers, kBufferSizes},
    {"locals", locals, 5, {0, 0, 0}, kLocals, kLocalSizes},
    {"fail", fail, 0, {0, 0, 0}, nullptr, nullptr},
    {"shaped", shaped, 1, {4, 2, 3}, kBuffers, kBufferSizes},
};

constexpr collet_host_module_t kModule = {sizeof(collet_host_module_t),
                                          sizeof(collet_host_kernel_t),
                                          sizeof(kKernels) / sizeof(kKernels[0]), 0, kKernels};

}  // namespace

extern "C" COLLET_API const collet_host_module_t* collet_host_module_v1(void) { return &kModule; }
