// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <collet/sdk/host_so/build.hpp>
#include <collet/sdk/plugin.hpp>

#include "memory.hpp"
#include "report/report.hpp"
#include "stream.hpp"

namespace collet::sim {
namespace {

using plugin::copy_text;
using plugin::Error;

/** kDLExtDev of DLPack. */
constexpr std::int32_t kDlpackExternal = 12;

constexpr std::uint32_t bit(collet_type_t type) { return std::uint32_t{1} << type; }

/** Kernels are code of the host, so they compute with what its processor has. */
constexpr std::uint32_t kNativeTypes =
    bit(COLLET_TYPE_BOOL) | bit(COLLET_TYPE_I8) | bit(COLLET_TYPE_U8) | bit(COLLET_TYPE_I16) |
    bit(COLLET_TYPE_U16) | bit(COLLET_TYPE_I32) | bit(COLLET_TYPE_U32) | bit(COLLET_TYPE_I64) |
    bit(COLLET_TYPE_U64) | bit(COLLET_TYPE_F32) | bit(COLLET_TYPE_F64);

/** Each device makes choices of its own. */
ScheduleSettings schedule_of(std::uint32_t device, ScheduleSettings settings) {
  settings.seed += device;
  return settings;
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

Device::Device(std::uint32_t index, const Shared& shared)
    : index_(index),
      name_("sim:" + std::to_string(index)),
      memory_{shared.settings.memory_bytes, shared.faults.budget_bytes(index),
              shared.faults.reuses(Kind::kAllocate)},
      faults_(shared.faults),
      timeline_(shared.timeline),
      checker_(shared.checker),
      engine_(shared.pool, schedule_of(index, shared.settings.schedule)),
      pinned_(shared.settings.memory_bytes),
      memory_pool_(*this) {}

void Device::open() {
  const std::lock_guard lock(open_mutex_);
  if (arena_ == nullptr) arena_ = new Arena(memory_);
  if (!is_started_) engine_.start();
  is_started_ = true;
}

Fault Device::note_call(Kind kind, const char* subject) {
  throw_if_lost();
  return faults_.on_call(kind, index_, subject);
}

void Device::lose(std::string_view rule) {
  std::call_once(loss_, [&] {
    lost_by_ = rule;
    is_lost_.store(true, std::memory_order_release);
  });
}

std::uint64_t Device::peak_memory_bytes() const noexcept {
  const Arena* const arena = arena_.load();
  return arena == nullptr ? 0 : arena->peak_bytes();
}

void Device::throw_lost() const {
  throw Error(COLLET_ERROR_DEVICE_LOST, 3, "SIM_LOST",
              name_ + " was lost by the rule \"" + lost_by_ +
                  "\" of COLLET_SIM_FAULTS, for the rest of this process; other devices go on");
}

System& System::instance() {
  // Never destroyed: at exit, threads of the plugin may still use it.
  static System& system = *new System();
  return system;
}

System::System() : settings_(Settings::read()), faults_(settings_.faults) {
  if (settings_.costs) {
    timeline_ = std::make_unique<Timeline>(settings_.device_count, *settings_.costs);
  }
  if (settings_.check != Check::kOff) checker_ = std::make_unique<Checker>(settings_.check);
  if (faults_.reuses(Kind::kStream)) Stream::recycle();
  if (faults_.reuses(Kind::kAllocate)) DeviceMemory::recycle();
  for (std::uint32_t i = 0; i < settings_.device_count; ++i) {
    devices_.emplace_back(
        i, Device::Shared{settings_, pool_, faults_, timeline_.get(), checker_.get()});
  }
  if (!settings_.report.empty()) report_at_exit(*this);
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
  const plugin::host_so::CompilerSearch& search = plugin::host_so::system_compiler();
  copy_text(out.program_formats, plugin::host_so::program_formats(search));
  if (search.compiler) copy_text(out.compiler, search.compiler->identity);
  out.kind = COLLET_DEVICE_KIND_SIMULATED;
  out.compute_units = 1;
  out.numa_node = -1;
  out.memory_bytes = settings_.memory_bytes;
  out.max_allocation_bytes = settings_.memory_bytes;
  out.dlpack_device_type = kDlpackExternal;
  out.native_types = kNativeTypes;
  out.emulated_types = bit(COLLET_TYPE_F16) | bit(COLLET_TYPE_BF16);
  return out;
}

}  // namespace collet::sim
