// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <CL/cl_ext.h>

#include <algorithm>
#include <collet/sdk/plugin.hpp>
#include <cstdio>
#include <limits>
#include <utility>

#include "cl_error.hpp"
#include "device_info.hpp"
#include "program.hpp"

namespace collet::opencl {
namespace {

using plugin::copy_text;
using plugin::Error;

/** kDLOpenCL of DLPack. */
constexpr std::int32_t kDlpackOpencl = 4;
/** What all memory of Collet is aligned to at least. */
constexpr std::uint64_t kLeastAlignment = 64;

constexpr std::uint32_t bit(collet_type_t type) { return std::uint32_t{1} << type; }

constexpr std::uint32_t kNativeTypes =
    bit(COLLET_TYPE_BOOL) | bit(COLLET_TYPE_I8) | bit(COLLET_TYPE_U8) | bit(COLLET_TYPE_I16) |
    bit(COLLET_TYPE_U16) | bit(COLLET_TYPE_I32) | bit(COLLET_TYPE_U32) | bit(COLLET_TYPE_I64) |
    bit(COLLET_TYPE_U64) | bit(COLLET_TYPE_F32);

collet_device_kind_t kind_of(cl_device_type type) noexcept {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return COLLET_DEVICE_KIND_GPU;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return COLLET_DEVICE_KIND_CPU;
  return COLLET_DEVICE_KIND_ACCELERATOR;
}

void find_svm(cl_device_id id, Abilities& out) {
  const auto svm = device_info<cl_device_svm_capabilities>(id, CL_DEVICE_SVM_CAPABILITIES);
  const bool is_callable = icd().clSVMAlloc != nullptr && icd().clSVMFree != nullptr &&
                           icd().clSetKernelArgSVMPointer != nullptr;
  if (!is_callable) return;
  out.has_fine_svm = (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
  out.has_system_svm = (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
  out.has_svm = out.has_fine_svm || (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
}

Abilities abilities_of(cl_device_id id) {
  constexpr cl_uint kBitsPerByte = 8;
  Abilities out;
  const Version version = version_of(device_text(id, CL_DEVICE_VERSION));
  out.has_properties =
      version >= Version{2, 0} && icd().clCreateCommandQueueWithProperties != nullptr;
  if (version >= Version{2, 0}) find_svm(id, out);
  if (version >= Version{2, 1} && icd().clCreateProgramWithIL != nullptr) {
    out.has_spirv = device_text(id, CL_DEVICE_IL_VERSION).find("SPIR-V") != std::string::npos;
  }
  // A driver without a clock answers that a tick of it takes no time (rusticl 22.3).
  out.has_clock = device_info<std::size_t>(id, CL_DEVICE_PROFILING_TIMER_RESOLUTION) > 0;
  out.has_priorities = out.has_properties && has_extension(id, "cl_khr_priority_hints");
  // Sub-buffers must begin there. Buffers themselves need not: rusticl asks for 512 bytes, and
  // places buffers at multiples of 64.
  out.offset_alignment_bytes = std::max<std::uint64_t>(
      kLeastAlignment, device_info<cl_uint>(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / kBitsPerByte);
  out.alignment_bytes = out.has_svm ? out.offset_alignment_bytes : kLeastAlignment;
  out.memory_bytes = device_info<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  out.max_allocation_bytes = device_info<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  return out;
}

void describe_identity(const ListedDevice& listed, collet_device_properties_t& out) {
  const std::string fault = listed.fault.empty() ? "" : ", unusable: " + listed.fault;
  copy_text(out.name,
            device_text(listed.id, CL_DEVICE_NAME) + " (" + listed.platform.name + fault + ")");
  copy_text(out.vendor, device_text(listed.id, CL_DEVICE_VENDOR));
  copy_text(out.capability, device_text(listed.id, CL_DEVICE_OPENCL_C_VERSION));
  copy_text(out.runtime_version, device_text(listed.id, CL_DEVICE_VERSION) + ", driver " +
                                     device_text(listed.id, CL_DRIVER_VERSION));
  copy_text(out.built_against, "OpenCL headers 3.0");
}

void describe_place(cl_device_id id, collet_device_properties_t& out) {
  out.numa_node = -1;
  if (has_extension(id, "cl_khr_pci_bus_info")) {
    const auto pci = device_info<cl_device_pci_bus_info_khr>(id, CL_DEVICE_PCI_BUS_INFO_KHR);
    std::snprintf(out.pci_address, sizeof(out.pci_address), "%04x:%02x:%02x.%x", pci.pci_domain,
                  pci.pci_bus, pci.pci_device, pci.pci_function);
  }
  if (has_extension(id, "cl_khr_device_uuid")) {
    struct Uuid {
      cl_uchar bytes[CL_UUID_SIZE_KHR];
    };
    const auto uuid = device_info<Uuid>(id, CL_DEVICE_UUID_KHR);
    std::string text;
    for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
      char digits[4];
      std::snprintf(digits, sizeof(digits), "%02x", uuid.bytes[i]);
      text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
    }
    copy_text(out.uuid, text);
  }
}

void describe_limits(cl_device_id id, collet_device_properties_t& out) {
  struct Sizes {
    std::size_t axis[3];
  };
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  out.compute_units = device_info<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  out.local_memory_bytes = device_info<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
  out.max_group_items = static_cast<std::uint32_t>(
      std::min(kMost, device_info<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE)));
  const auto sizes = device_info<Sizes>(id, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (int axis = 0; axis < 3; ++axis) {
    out.max_group_size[axis] = static_cast<std::uint32_t>(std::min(kMost, sizes.axis[axis]));
    // OpenCL limits the items of an axis to what a size_t of the device holds, and no further.
    out.max_grid_size[axis] = kMost;
  }
}

void describe_types(cl_device_id id, collet_device_properties_t& out) {
  const bool has_f64 = device_info<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  const bool has_f16 = has_extension(id, "cl_khr_fp16");
  out.native_types =
      kNativeTypes | (has_f64 ? bit(COLLET_TYPE_F64) : 0) | (has_f16 ? bit(COLLET_TYPE_F16) : 0);
  out.emulated_types = bit(COLLET_TYPE_BF16) | (has_f16 ? 0 : bit(COLLET_TYPE_F16));
}

}  // namespace

Device::Device(std::uint32_t index, ListedDevice listed)
    : index_(index), listed_(std::move(listed)), abilities_(abilities_of(listed_.id)) {}

std::string Device::name() const { return "opencl:" + std::to_string(index_); }

std::string Device::signature() const {
  return listed_.platform.name + "|" + device_text(listed_.id, CL_DEVICE_NAME) + "|" +
         device_text(listed_.id, CL_DEVICE_VERSION) + "|" +
         device_text(listed_.id, CL_DRIVER_VERSION);
}

void Device::open() {
  if (!listed_.fault.empty()) {
    throw Error(COLLET_ERROR_UNAVAILABLE, name() + " cannot be used: " + listed_.fault);
  }
  const std::lock_guard lock(mutex_);
  if (context_) return;
  const cl_context_properties wanted[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(listed_.platform.id), 0};
  cl_int status = CL_SUCCESS;
  OwnedContext context(icd().clCreateContext(wanted, 1, &listed_.id, nullptr, nullptr, &status));
  if (status != CL_SUCCESS) {
    throw Error(COLLET_ERROR_UNAVAILABLE, status, cl_error_name(status),
                name() + " cannot be used: clCreateContext answers " + cl_error_name(status));
  }
  context_ = std::move(context);
}

collet_device_properties_t Device::properties() const {
  collet_device_properties_t out{};
  copy_text(out.id, name());
  describe_identity(listed_, out);
  describe_place(listed_.id, out);
  describe_limits(listed_.id, out);
  describe_types(listed_.id, out);
  copy_text(out.program_formats, program_formats(*this));
  // The compiler is part of the driver.
  copy_text(out.compiler, listed_.platform.name + " " + device_text(listed_.id, CL_DRIVER_VERSION) +
                              ", " + device_text(listed_.id, CL_DEVICE_VERSION));
  out.kind = kind_of(listed_.type);
  const bool is_unified =
      device_info<cl_bool>(listed_.id, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  out.flags = std::uint32_t{COLLET_DEVICE_DRIVER_COMPILES} |
              (is_unified ? std::uint32_t{COLLET_DEVICE_UNIFIED_MEMORY} : 0) |
              (abilities_.has_fine_svm ? std::uint32_t{COLLET_DEVICE_HOST_VISIBLE} : 0);
  out.memory_bytes = abilities_.memory_bytes;
  out.max_allocation_bytes = abilities_.max_allocation_bytes;
  if (abilities_.has_priorities) {
    out.priority_least = 1;
    out.priority_greatest = -1;
  }
  out.dlpack_device_type = kDlpackOpencl;
  return out;
}

OwnedQueue Device::make_queue(bool measures, std::int32_t priority) const {
  const cl_command_queue_properties flags =
      measures ? cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE} : 0;
  cl_int status = CL_SUCCESS;
  if (!abilities_.has_properties) {
    OwnedQueue queue(icd().clCreateCommandQueue(context(), id(), flags, &status));
    check(status, "clCreateCommandQueue");
    return queue;
  }
  cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, flags, 0, 0, 0};
  if (abilities_.has_priorities && priority != 0) {
    wanted[2] = CL_QUEUE_PRIORITY_KHR;
    wanted[3] = priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
  }
  OwnedQueue queue(icd().clCreateCommandQueueWithProperties(context(), id(), wanted, &status));
  check(status, "clCreateCommandQueueWithProperties");
  return queue;
}

cl_command_queue Device::service_queue() {
  const std::lock_guard lock(mutex_);
  if (!service_queue_) service_queue_ = make_queue(false, 0);
  return service_queue_.get();
}

void Device::charge(std::uint64_t bytes) {
  const std::uint64_t total = abilities_.memory_bytes;
  std::uint64_t charged = charged_bytes_.load();
  do {
    if (bytes > total || charged > total - bytes) {
      throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                  "cannot allocate " + std::to_string(bytes) + " bytes on " + name() + ": of its " +
                      std::to_string(total) + ", this process has allocated " +
                      std::to_string(charged) + " already; free some, or use a smaller size");
    }
  } while (!charged_bytes_.compare_exchange_weak(charged, charged + bytes));
}

System& System::instance() {
  // Never destroyed: at exit, threads of the plugin may still use it.
  static System& system = *new System();
  return system;
}

System::System() {
  std::uint32_t index = 0;
  for (ListedDevice& listed : list_devices()) devices_.emplace_back(index++, std::move(listed));
}

Device& System::device(std::uint32_t index) {
  if (index < devices_.size()) return devices_[index];
  throw Error(COLLET_ERROR_NO_SUCH_DEVICE, "there is no device opencl:" + std::to_string(index) +
                                               "; OpenCL has " + std::to_string(devices_.size()) +
                                               " of them, counted from 0");
}

}  // namespace collet::opencl
