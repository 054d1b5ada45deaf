// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <collet/sdk/plugin.hpp>
#include <cstdlib>
#include <string>

#include "device.hpp"

namespace collet::cpu {
namespace {

using plugin::Error;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

/** A cache line, and the widest vector register. */
constexpr std::uint64_t kAlignment = 64;

/** Beyond a page, alignment has no use, and costs memory. */
std::uint64_t max_alignment() noexcept {
  return std::max(kAlignment, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

/** Saturates: such a size is refused as too large then. */
std::uint64_t round_up(std::uint64_t size) noexcept {
  return size > UINT64_MAX - kAlignment ? UINT64_MAX : (size + kAlignment - 1) & ~(kAlignment - 1);
}

collet_status_t traits(collet_plugin_device_t*, collet_memory_kind_t,
                       collet_memory_traits_t* out_traits) {
  return guarded([&] {
    collet_memory_traits_t value{};
    value.supported = 1;
    value.alignment_bytes = kAlignment;
    value.max_alignment_bytes = max_alignment();
    value.offset_alignment_bytes = kAlignment;
    value.granularity_bytes = kAlignment;
    value.max_allocation_bytes = System::instance().total_bytes();
    plugin::fill_struct(out_traits, value);
  });
}

collet_status_t allocate(collet_plugin_device_t*, collet_memory_kind_t, std::uint64_t size_bytes,
                         std::uint64_t alignment_bytes, collet_plugin_memory_t** out_memory) {
  return guarded([&] { *out_memory = to_handle(new Memory(size_bytes, alignment_bytes)); });
}

void free_memory(collet_plugin_memory_t* memory) { delete from_handle<Memory>(memory); }

collet_status_t register_host(collet_plugin_device_t*, void* data, std::uint64_t,
                              collet_plugin_memory_t** out_memory) {
  return guarded([&] { *out_memory = to_handle(new Memory(data)); });
}

collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  return guarded([&] { *out_pointer = from_handle<Memory>(memory)->data(); });
}

collet_status_t native_pointer(collet_plugin_memory_t* memory, std::uint64_t* out_pointer) {
  return guarded([&] {
    *out_pointer = reinterpret_cast<std::uintptr_t>(from_handle<Memory>(memory)->data());
  });
}

collet_status_t info(collet_plugin_device_t*, std::uint64_t* out_free_bytes,
                     std::uint64_t* out_total_bytes) {
  return guarded([&] {
    const MemoryInfo memory = memory_info();
    *out_free_bytes = memory.available_bytes;
    *out_total_bytes = memory.total_bytes;
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

Memory::Memory(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
  if (alignment_bytes > max_alignment()) {
    throw Error(COLLET_ERROR_UNSUPPORTED, "an alignment of " + std::to_string(alignment_bytes) +
                                              " bytes is more than the processor's page of " +
                                              std::to_string(max_alignment()));
  }
  // Memory of no bytes has an address of its own as well.
  const std::uint64_t size = round_up(std::max<std::uint64_t>(size_bytes, 1));
  System::instance().charge(size);
  void* data = nullptr;
  if (posix_memalign(&data, std::max(alignment_bytes, kAlignment), size) != 0) {
    System::instance().discharge(size);
    throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                "cannot allocate " + std::to_string(size_bytes) + " bytes: the system has " +
                    std::to_string(memory_info().available_bytes) +
                    " available, or limits this process (ulimit -v)");
  }
  data_ = static_cast<std::byte*>(data);
  charged_bytes_ = size;
}

Memory::~Memory() {
  if (charged_bytes_ == 0) return;
  std::free(data_);
  System::instance().discharge(charged_bytes_);
}

const collet_plugin_memory_interface_t* memory_interface() noexcept { return &kTable; }

}  // namespace collet::cpu
