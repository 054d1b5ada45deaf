// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <collet/sdk/plugin.hpp>
#include <cstdlib>
#include <memory>
#include <string>

namespace collet::sim {
namespace {

using plugin::Error;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

/** What memory is handed out in multiples of, and aligned to. */
constexpr std::uint64_t kGranularity = 256;

/** Both views of device memory begin at a page. */
std::uint64_t max_alignment() noexcept { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

constexpr const char* kNoSharedMemory =
    "the memory of a simulated device is its own; it shares none with the host";

std::unique_ptr<Memory> make_memory(Device& device, collet_memory_kind_t kind,
                                    std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
  switch (kind) {
    case COLLET_MEMORY_DEVICE:
      static_cast<void>(device.note_call(Kind::kAllocate));
      return std::make_unique<DeviceMemory>(device, size_bytes, alignment_bytes);
    case COLLET_MEMORY_PINNED:
      static_cast<void>(device.note_call(Kind::kPin));
      return std::make_unique<PinnedMemory>(device, size_bytes, alignment_bytes);
    default:
      throw Error(COLLET_ERROR_UNSUPPORTED, kNoSharedMemory);
  }
}

collet_status_t traits(collet_plugin_device_t* device, collet_memory_kind_t kind,
                       collet_memory_traits_t* out_traits) {
  return guarded([&] {
    collet_memory_traits_t value{};
    if (kind == COLLET_MEMORY_DEVICE || kind == COLLET_MEMORY_PINNED) {
      value.supported = 1;
      value.alignment_bytes = kGranularity;
      value.max_alignment_bytes = max_alignment();
      value.offset_alignment_bytes = kGranularity;
      value.granularity_bytes = kGranularity;
      value.max_allocation_bytes = from_handle<Device>(device)->arena().size_bytes();
    }
    plugin::fill_struct(out_traits, value);
  });
}

collet_status_t allocate(collet_plugin_device_t* device, collet_memory_kind_t kind,
                         std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                         collet_plugin_memory_t** out_memory) {
  return guarded([&] {
    Device& on = *from_handle<Device>(device);
    *out_memory = to_handle(make_memory(on, kind, size_bytes, alignment_bytes).release());
    on.counters().count({kind == COLLET_MEMORY_DEVICE ? Kind::kAllocate : Kind::kPin});
  });
}

void free_memory(collet_plugin_memory_t* memory) { delete from_handle<Memory>(memory); }

collet_status_t register_host(collet_plugin_device_t* device, void* data, std::uint64_t size_bytes,
                              collet_plugin_memory_t** out_memory) {
  return guarded([&] {
    Device& on = *from_handle<Device>(device);
    static_cast<void>(on.note_call(Kind::kPin));
    Memory* const memory = new RegisteredMemory(on, data, size_bytes);
    *out_memory = to_handle(memory);
    on.counters().count({Kind::kPin});
  });
}

collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  return guarded([&] {
    const Memory& asked = *from_handle<Memory>(memory);
    if (!asked.is_host_memory()) {
      throw Error(COLLET_ERROR_UNSUPPORTED,
                  "the host cannot reach the memory of a simulated device; copy it with a stream");
    }
    *out_pointer = asked.data();
  });
}

collet_status_t native_pointer(collet_plugin_memory_t* memory, std::uint64_t* out_pointer) {
  return guarded([&] {
    *out_pointer = reinterpret_cast<std::uintptr_t>(from_handle<Memory>(memory)->native_pointer());
  });
}

collet_status_t info(collet_plugin_device_t* device, std::uint64_t* out_free_bytes,
                     std::uint64_t* out_total_bytes) {
  return guarded([&] {
    from_handle<Device>(device)->throw_if_lost();
    const Arena& arena = from_handle<Device>(device)->arena();
    *out_free_bytes = arena.free_bytes();
    *out_total_bytes = arena.size_bytes();
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

Arena::Block block_of(Device& device, std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
  const std::uint64_t alignment = checked_alignment(device, alignment_bytes);
  if (const auto block = device.arena().allocate(round_up(size_bytes), alignment)) return *block;
  throw_out_of_memory(device, size_bytes);
}

}  // namespace

std::uint64_t checked_alignment(const Device& device, std::uint64_t alignment_bytes) {
  if (alignment_bytes <= max_alignment()) return std::max(alignment_bytes, kGranularity);
  throw Error(COLLET_ERROR_UNSUPPORTED, device.name() + " aligns memory to at most " +
                                            std::to_string(max_alignment()) + " bytes, not to " +
                                            std::to_string(alignment_bytes));
}

std::uint64_t round_up(std::uint64_t size_bytes) noexcept {
  if (size_bytes > UINT64_MAX - kGranularity) return UINT64_MAX;
  return (std::max<std::uint64_t>(size_bytes, 1) + kGranularity - 1) & ~(kGranularity - 1);
}

void throw_out_of_memory(Device& device, std::uint64_t size_bytes) {
  const Arena& arena = device.arena();
  throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
              "cannot allocate " + std::to_string(size_bytes) + " bytes on " + device.name() +
                  ": of " + std::to_string(arena.size_bytes()) + ", " +
                  std::to_string(arena.free_bytes()) + " are free, the largest piece has " +
                  std::to_string(arena.largest_free_bytes()) +
                  "; free some, use a smaller size, or raise COLLET_SIM_MEMORY" +
                  (arena.has_budget() ? " or the budget of COLLET_SIM_FAULTS" : ""));
}

void Memory::note_freed(std::uint64_t size_bytes) const noexcept {
  if (device_.checker() == nullptr) return;
  device_.counters().conflicts +=
      device_.checker()->free(data_, size_bytes, native_pointer() - data_);
}

DeviceMemory::DeviceMemory(Device& device, std::uint64_t size_bytes, std::uint64_t alignment_bytes)
    : Memory(device), block_(block_of(device, size_bytes, alignment_bytes)) {
  data_ = device.arena().device_address(block_);
}

DeviceMemory::~DeviceMemory() {
  note_freed(block_->size_bytes);
  device_.arena().free(block_);
}

std::byte* DeviceMemory::native_pointer() const noexcept {
  return device_.arena().host_address(block_);
}

PinnedMemory::PinnedMemory(Device& device, std::uint64_t size_bytes, std::uint64_t alignment_bytes)
    : Memory(device), size_bytes_(round_up(size_bytes)) {
  const std::uint64_t alignment = checked_alignment(device, alignment_bytes);
  PinnedRanges& pinned = device.pinned();
  if (!pinned.charge(size_bytes_)) {
    throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                "cannot allocate " + std::to_string(size_bytes) + " pinned bytes: " +
                    device.name() + " reaches as much host memory as it has itself, " +
                    std::to_string(device.arena().size_bytes()) +
                    " bytes; free some, use a smaller size, or raise COLLET_SIM_MEMORY");
  }
  void* data = nullptr;
  try {
    if (posix_memalign(&data, alignment, size_bytes_) != 0) {
      throw Error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
                  "cannot allocate " + std::to_string(size_bytes) +
                      " pinned bytes: the machine has no more, or limits this process (ulimit -v)");
    }
    pinned.add(data, size_bytes_);
  } catch (...) {
    std::free(data);
    pinned.discharge(size_bytes_);
    throw;
  }
  data_ = static_cast<std::byte*>(data);
}

PinnedMemory::~PinnedMemory() {
  note_freed(size_bytes_);
  device_.pinned().remove(data_, size_bytes_);
  device_.pinned().discharge(size_bytes_);
  std::free(data_);
}

RegisteredMemory::RegisteredMemory(Device& device, void* data, std::uint64_t size_bytes)
    : Memory(device), size_bytes_(size_bytes) {
  device.pinned().add(data, size_bytes);
  data_ = static_cast<std::byte*>(data);
}

RegisteredMemory::~RegisteredMemory() {
  note_freed(size_bytes_);
  device_.pinned().remove(data_, size_bytes_);
}

const collet_plugin_memory_interface_t* memory_interface() noexcept { return &kTable; }

}  // namespace collet::sim
