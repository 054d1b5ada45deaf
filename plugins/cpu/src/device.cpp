// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <collet/sdk/host_so/build.hpp>
#include <collet/sdk/plugin.hpp>
#include <cstdio>
#include <limits>
#include <string>

#include "onednn.hpp"
#include "processors.hpp"

namespace collet::cpu {
namespace {

using plugin::copy_text;
using plugin::Error;

constexpr std::int64_t kMostDevices = 64;
constexpr std::int64_t kMostThreads = 1024;
/** kDLCPU of DLPack. */
constexpr std::int32_t kDlpackCpu = 1;

unsigned thread_budget() {
  const auto asked = plugin::host().integer_option("threads", 1, kMostThreads);
  return asked ? static_cast<unsigned>(*asked) : usable_processors();
}

constexpr std::uint32_t bit(collet_type_t type) { return std::uint32_t{1} << type; }

/** Types that every processor computes with. */
constexpr std::uint32_t kNativeTypes =
    bit(COLLET_TYPE_BOOL) | bit(COLLET_TYPE_I8) | bit(COLLET_TYPE_U8) | bit(COLLET_TYPE_I16) |
    bit(COLLET_TYPE_U16) | bit(COLLET_TYPE_I32) | bit(COLLET_TYPE_U32) | bit(COLLET_TYPE_I64) |
    bit(COLLET_TYPE_U64) | bit(COLLET_TYPE_F32) | bit(COLLET_TYPE_F64);

void describe_processor(collet_device_properties_t& out, const Executor& executor) {
  const ProcessorInfo processor = processor_info();
  copy_text(out.name, processor.name);
  copy_text(out.vendor, processor.vendor);
  copy_text(out.capability, vector_level(processor));
  out.compute_units = executor.threads();
  const bool has_bf16 = processor.has("avx512_bf16") || processor.has("bf16");
  out.native_types = kNativeTypes | (has_bf16 ? bit(COLLET_TYPE_BF16) : 0);
  out.emulated_types = bit(COLLET_TYPE_F16) | (has_bf16 ? 0 : bit(COLLET_TYPE_BF16));
}

void describe_limits(collet_device_properties_t& out) {
  out.local_memory_bytes = kLocalMemoryBytes;
  out.max_group_items = kMaxGroupItems;
  for (std::uint32_t& size : out.max_group_size) size = kMaxGroupItems;
  for (std::uint64_t& size : out.max_grid_size) size = std::numeric_limits<std::int64_t>::max();
  out.sub_group_size = 1;
}

}  // namespace

System& System::instance() {
  // Never destroyed: at exit, threads of the plugin may still use it.
  static System& system = *new System();
  return system;
}

System::System() : executor_(thread_budget()), total_bytes_(memory_info().total_bytes) {
  const std::int64_t count = plugin::host().integer_option("devices", 1, kMostDevices).value_or(1);
  for (std::int64_t i = 0; i < count; ++i) {
    devices_.emplace_back(static_cast<std::uint32_t>(i), executor_);
  }
}

Device& System::device(std::uint32_t index) {
  if (index < devices_.size()) return devices_[index];
  throw Error(COLLET_ERROR_NO_SUCH_DEVICE,
              "there is no device cpu:" + std::to_string(index) +
                  "; the last one is cpu:" + std::to_string(devices_.size() - 1) +
                  " (COLLET_CPU_DEVICES sets how many there are)");
}

collet_device_properties_t System::properties(std::uint32_t index) {
  static_cast<void>(device(index));
  collet_device_properties_t out{};
  copy_text(out.id, "cpu:" + std::to_string(index));
  describe_processor(out, executor_);
  describe_limits(out);
  copy_text(out.runtime_version, onednn_runtime_version());
  copy_text(out.built_against, onednn_built_against());
  const plugin::host_so::CompilerSearch& search = plugin::host_so::system_compiler();
  copy_text(out.program_formats, plugin::host_so::program_formats(search));
  if (search.compiler) copy_text(out.compiler, search.compiler->identity);
  out.kind = COLLET_DEVICE_KIND_CPU;
  out.flags =
      COLLET_DEVICE_HOST_VISIBLE | COLLET_DEVICE_UNIFIED_MEMORY | COLLET_DEVICE_INLINE_STREAMS;
  out.numa_node = -1;
  out.memory_bytes = total_bytes_;
  out.max_allocation_bytes = total_bytes_;
  out.dlpack_device_type = kDlpackCpu;
  return out;
}

void System::charge(std::uint64_t bytes) {
  std::uint64_t charged = charged_bytes_.load();
  do {
    if (bytes > total_bytes_ || charged > total_bytes_ - bytes) {
      throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                  "cannot allocate " + std::to_string(bytes) + " bytes: of the machine's " +
                      std::to_string(total_bytes_) + ", this process has allocated " +
                      std::to_string(charged) + " already; free some, or use a smaller size");
    }
  } while (!charged_bytes_.compare_exchange_weak(charged, charged + bytes));
}

}  // namespace collet::cpu
