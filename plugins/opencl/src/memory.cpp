// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <collet/sdk/plugin.hpp>
#include <string>

#include "cl_error.hpp"
#include "device.hpp"

namespace collet::opencl {
namespace {

using plugin::Error;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

constexpr const char* kNoSharedMemory =
    "the device has no fine-grained shared virtual memory, which shared memory is made of";

bool supports(const Device& device, collet_memory_kind_t kind) noexcept {
  return kind != COLLET_MEMORY_SHARED || device.abilities().has_fine_svm;
}

/** Saturates: such a size is refused as too large then. */
std::uint64_t round_up(std::uint64_t size, std::uint64_t alignment) noexcept {
  return size > UINT64_MAX - alignment ? UINT64_MAX : (size + alignment - 1) & ~(alignment - 1);
}

/** A page, where memory can be taken from within a larger one. */
std::uint64_t max_alignment(const Abilities& abilities) noexcept {
  constexpr std::uint64_t kPage = 4096;
  return abilities.has_fine_svm ? std::max(kPage, abilities.alignment_bytes)
                                : abilities.alignment_bytes;
}

[[noreturn]] void throw_out_of_memory(const Device& device, std::uint64_t size, cl_int status,
                                      const char* call) {
  throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY, status, cl_error_name(status),
              "cannot allocate " + std::to_string(size) + " bytes on " + device.name() + ": " +
                  call + " fails; the largest single allocation is " +
                  std::to_string(device.abilities().max_allocation_bytes) +
                  " bytes; free some, or use a smaller size");
}

}  // namespace

Memory::Memory(Device& device, collet_memory_kind_t kind, std::uint64_t size_bytes,
               std::uint64_t alignment_bytes)
    : device_(device) {
  const Abilities& abilities = device.abilities();
  if (!supports(device, kind)) throw Error(COLLET_ERROR_UNSUPPORTED, kNoSharedMemory);
  if (alignment_bytes > max_alignment(abilities)) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                "an alignment of " + std::to_string(alignment_bytes) + " bytes is more than the " +
                    std::to_string(max_alignment(abilities)) + " of " + device.name());
  }
  // OpenCL has no memory of no bytes.
  size_bytes_ = round_up(std::max<std::uint64_t>(size_bytes, 1), abilities.alignment_bytes);
  if (size_bytes_ > abilities.max_allocation_bytes) {
    throw_out_of_memory(device, size_bytes, CL_INVALID_BUFFER_SIZE, "the size");
  }
  device.charge(size_bytes_);
  charged_bytes_ = size_bytes_;
  try {
    if (abilities.has_fine_svm || (abilities.has_svm && kind == COLLET_MEMORY_DEVICE)) {
      allocate_shared(abilities.has_fine_svm, alignment_bytes);
    } else if (kind == COLLET_MEMORY_DEVICE) {
      allocate_buffer();
    } else {
      allocate_pinned();
    }
  } catch (...) {
    device.discharge(charged_bytes_);
    throw;
  }
}

Memory::Memory(Device& device, void* data, std::uint64_t size_bytes)
    : device_(device),
      size_bytes_(size_bytes),
      host_(static_cast<std::byte*>(data)),
      shared_(device.abilities().has_system_svm ? host_ : nullptr),
      is_host_side_(true) {}

Memory::~Memory() {
  parts_.clear();
  if (is_host_side_ && buffer_) {
    cl_event unmapped = nullptr;
    const cl_int status = icd().clEnqueueUnmapMemObject(device_.service_queue(), buffer_.get(),
                                                        host_, 0, nullptr, &unmapped);
    const OwnedEvent event(unmapped);
    if (status == CL_SUCCESS) static_cast<void>(icd().clWaitForEvents(1, &unmapped));
  }
  buffer_ = {};
  if (shared_base_ != nullptr) icd().clSVMFree(device_.context(), shared_base_);
  device_.discharge(charged_bytes_);
}

void Memory::allocate_shared(bool is_fine, std::uint64_t alignment_bytes) {
  const cl_svm_mem_flags flags =
      CL_MEM_READ_WRITE | (is_fine ? cl_svm_mem_flags{CL_MEM_SVM_FINE_GRAIN_BUFFER} : 0);
  // OpenCL aligns to its largest type at most; what is more is made of a larger allocation.
  const std::uint64_t own = device_.abilities().alignment_bytes;
  const std::uint64_t spare = alignment_bytes > own ? alignment_bytes : 0;
  void* const base =
      icd().clSVMAlloc(device_.context(), flags, size_bytes_ + spare, static_cast<cl_uint>(own));
  if (base == nullptr) {
    throw_out_of_memory(device_, size_bytes_, CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
  }
  auto* data = static_cast<std::byte*>(base);
  if (spare != 0) data += -reinterpret_cast<std::uintptr_t>(base) & (spare - 1);
  cl_int status = CL_SUCCESS;
  buffer_ = OwnedBuffer(icd().clCreateBuffer(
      device_.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_bytes_, data, &status));
  if (status != CL_SUCCESS) {
    icd().clSVMFree(device_.context(), base);
    throw_out_of_memory(device_, size_bytes_, status, "clCreateBuffer");
  }
  shared_ = data;
  shared_base_ = base;
  if (is_fine) host_ = shared_;
}

void Memory::allocate_buffer() {
  cl_int status = CL_SUCCESS;
  buffer_ = OwnedBuffer(
      icd().clCreateBuffer(device_.context(), CL_MEM_READ_WRITE, size_bytes_, nullptr, &status));
  if (status != CL_SUCCESS) throw_out_of_memory(device_, size_bytes_, status, "clCreateBuffer");
}

void Memory::allocate_pinned() {
  cl_int status = CL_SUCCESS;
  OwnedBuffer buffer(icd().clCreateBuffer(
      device_.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size_bytes_, nullptr, &status));
  if (status != CL_SUCCESS) throw_out_of_memory(device_, size_bytes_, status, "clCreateBuffer");
  // It stays mapped, so commands must not use the buffer.
  void* const data = icd().clEnqueueMapBuffer(device_.service_queue(), buffer.get(), CL_TRUE,
                                              CL_MAP_READ | CL_MAP_WRITE, 0, size_bytes_, 0,
                                              nullptr, nullptr, &status);
  if (status != CL_SUCCESS) throw_out_of_memory(device_, size_bytes_, status, "clEnqueueMapBuffer");
  buffer_ = std::move(buffer);
  host_ = static_cast<std::byte*>(data);
  is_host_side_ = true;
}

void Memory::set_argument(cl_kernel kernel, cl_uint index, std::uint64_t offset_bytes) {
  if (shared_ != nullptr) {
    check(icd().clSetKernelArgSVMPointer(kernel, index, shared_ + offset_bytes),
          "clSetKernelArgSVMPointer");
    return;
  }
  if (is_host_side_) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                "kernels of " + device_.name() +
                    " cannot use pinned or registered memory; copy it to device memory");
  }
  cl_mem memory = offset_bytes == 0 ? buffer_.get() : part(offset_bytes);
  check(icd().clSetKernelArg(kernel, index, sizeof(cl_mem), &memory), "clSetKernelArg");
}

cl_mem Memory::part(std::uint64_t offset_bytes) {
  const std::uint64_t alignment = device_.abilities().offset_alignment_bytes;
  if (offset_bytes % alignment != 0) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                device_.name() +
                    " has no shared virtual memory, so kernels are given memory at "
                    "multiples of " +
                    std::to_string(alignment) + " bytes only, and not at offset " +
                    std::to_string(offset_bytes) + "; pass the offset as an argument of its own");
  }
  // What starts at the memory's end has no bytes, which OpenCL has no buffer for; it is not used.
  if (offset_bytes == size_bytes_) return buffer_.get();
  const std::lock_guard lock(parts_mutex_);
  OwnedBuffer& found = parts_[offset_bytes];
  if (!found) {
    const cl_buffer_region region = {offset_bytes, size_bytes_ - offset_bytes};
    cl_int status = CL_SUCCESS;
    OwnedBuffer made(
        icd().clCreateSubBuffer(buffer_.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check(status, "clCreateSubBuffer");
    found = std::move(made);
  }
  return found.get();
}

// ---- the table ---------------------------------------------------------------------------------

namespace {

collet_status_t traits(collet_plugin_device_t* device, collet_memory_kind_t kind,
                       collet_memory_traits_t* out_traits) {
  return guarded([&] {
    const Device& of = *from_handle<Device>(device);
    const Abilities& abilities = of.abilities();
    collet_memory_traits_t value{};
    if (supports(of, kind)) {
      value.supported = 1;
      value.alignment_bytes = abilities.alignment_bytes;
      value.max_alignment_bytes = max_alignment(abilities);
      value.offset_alignment_bytes = abilities.offset_alignment_bytes;
      value.granularity_bytes = abilities.alignment_bytes;
      value.max_allocation_bytes = abilities.max_allocation_bytes;
    }
    plugin::fill_struct(out_traits, value);
  });
}

collet_status_t allocate(collet_plugin_device_t* device, collet_memory_kind_t kind,
                         std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                         collet_plugin_memory_t** out_memory) {
  return guarded([&] {
    *out_memory =
        to_handle(new Memory(*from_handle<Device>(device), kind, size_bytes, alignment_bytes));
  });
}

void free_memory(collet_plugin_memory_t* memory) { delete from_handle<Memory>(memory); }

collet_status_t register_host(collet_plugin_device_t* device, void* data, std::uint64_t size_bytes,
                              collet_plugin_memory_t** out_memory) {
  return guarded(
      [&] { *out_memory = to_handle(new Memory(*from_handle<Device>(device), data, size_bytes)); });
}

collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  return guarded([&] {
    std::byte* const pointer = from_handle<Memory>(memory)->host_pointer();
    if (pointer == nullptr) {
      throw Error(COLLET_ERROR_UNSUPPORTED,
                  "the host cannot reach memory of this device; copy it, or use pinned memory");
    }
    *out_pointer = pointer;
  });
}

collet_status_t native_pointer(collet_plugin_memory_t* memory, std::uint64_t* out_pointer) {
  return guarded([&] {
    const Memory& of = *from_handle<Memory>(memory);
    const void* const pointer = of.is_host_side() ? static_cast<const void*>(of.host_pointer())
                                                  : static_cast<const void*>(of.buffer());
    *out_pointer = reinterpret_cast<std::uintptr_t>(pointer);
  });
}

collet_status_t info(collet_plugin_device_t* device, std::uint64_t* out_free_bytes,
                     std::uint64_t* out_total_bytes) {
  return guarded([&] {
    // OpenCL does not tell what others use.
    const Device& of = *from_handle<Device>(device);
    *out_total_bytes = of.abilities().memory_bytes;
    *out_free_bytes = *out_total_bytes - std::min(*out_total_bytes, of.charged_bytes());
  });
}

constexpr collet_plugin_memory_interface_t kTable = {sizeof(collet_plugin_memory_interface_t),
                                                     0,
                                                     traits,
                                                     allocate,
                                                     free_memory,
                                                     register_host,
                                                     host_pointer,
                                                     native_pointer,
                                                     info};

}  // namespace

const collet_plugin_memory_interface_t* memory_interface() noexcept { return &kTable; }

}  // namespace collet::opencl
