// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <unistd.h>

#include <collet/sdk/plugin.hpp>

namespace collet::sim {
namespace {

using plugin::copy_text;
using plugin::Error;

constexpr std::int64_t kMostDevices = 64;
constexpr std::int64_t kDefaultDevices = 2;
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 40U;
constexpr std::uint64_t kDefaultMemory = std::uint64_t{1} << 30U;
/** kDLExtDev of DLPack. */
constexpr std::int32_t kDlpackExternal = 12;

constexpr std::uint32_t bit(collet_type_t type) { return std::uint32_t{1} << type; }

/** Kernels are code of the host, so they compute with what its processor has. */
constexpr std::uint32_t kNativeTypes =
    bit(COLLET_TYPE_BOOL) | bit(COLLET_TYPE_I8) | bit(COLLET_TYPE_U8) | bit(COLLET_TYPE_I16) |
    bit(COLLET_TYPE_U16) | bit(COLLET_TYPE_I32) | bit(COLLET_TYPE_U32) | bit(COLLET_TYPE_I64) |
    bit(COLLET_TYPE_U64) | bit(COLLET_TYPE_F32) | bit(COLLET_TYPE_F64);

std::uint64_t memory_of_device() {
  const std::uint64_t asked =
      plugin::host().size_option("memory", kLeastMemory, kMostMemory).value_or(kDefaultMemory);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (asked + page - 1) & ~(page - 1);
}

/** What common accelerators have at least, so that a program that fits here fits there. */
void describe_limits(collet_device_properties_t& out) {
  out.local_memory_bytes = kLocalMemoryBytes;
  out.max_group_items = kMaxGroupItems;
  const std::uint32_t group[] = {kMaxGroupItems, kMaxGroupItems, 64};
  const std::uint64_t grid[] = {0x7fffffff, 0xffff, 0xffff};
  for (int axis = 0; axis < 3; ++axis) {
    out.max_group_size[axis] = group[axis];
    out.max_grid_size[axis] = grid[axis];
  }
  out.sub_group_size = 1;
}

}  // namespace

Device::Device(std::uint32_t index, std::uint64_t memory_bytes, ThreadPool& pool)
    : name_("sim:" + std::to_string(index)),
      memory_bytes_(memory_bytes),
      engine_(pool),
      pinned_(memory_bytes),
      memory_pool_(*this) {}

void Device::open() {
  const std::lock_guard lock(open_mutex_);
  if (arena_ == nullptr) arena_ = new Arena(memory_bytes_);
  if (!is_started_) engine_.start();
  is_started_ = true;
}

System& System::instance() {
  // Never destroyed: at exit, threads of the plugin may still use it.
  static System& system = *new System();
  return system;
}

System::System() : memory_bytes_(memory_of_device()) {
  const std::int64_t count =
      plugin::host().integer_option("devices", 0, kMostDevices).value_or(kDefaultDevices);
  for (std::int64_t i = 0; i < count; ++i) {
    devices_.emplace_back(static_cast<std::uint32_t>(i), memory_bytes_, pool_);
  }
}

Device& System::device(std::uint32_t index) {
  if (index < devices_.size()) return devices_[index];
  throw Error(COLLET_ERROR_NO_SUCH_DEVICE,
              "there is no device sim:" + std::to_string(index) + "; COLLET_SIM_DEVICES makes " +
                  std::to_string(devices_.size()) + " of them, numbered from 0");
}

collet_device_properties_t System::properties(std::uint32_t index) {
  collet_device_properties_t out{};
  copy_text(out.id, device(index).name());
  copy_text(out.name, "Simulated accelerator");
  copy_text(out.vendor, "Collet");
  describe_limits(out);
  copy_text(out.program_formats, COLLET_FORMAT_HOST_SO);
  out.kind = COLLET_DEVICE_KIND_SIMULATED;
  out.compute_units = 1;
  out.numa_node = -1;
  out.memory_bytes = memory_bytes_;
  out.max_allocation_bytes = memory_bytes_;
  out.dlpack_device_type = kDlpackExternal;
  out.native_types = kNativeTypes;
  out.emulated_types = bit(COLLET_TYPE_F16) | bit(COLLET_TYPE_BF16);
  return out;
}

}  // namespace collet::sim
