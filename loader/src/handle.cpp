// SPDX-License-Identifier: Apache-2.0
#include "handle.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "error.hpp"
#include "process.hpp"

// There only where the process runs with the leak sanitizer.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::weak]] void __lsan_register_root_region(const void* begin, std::size_t size);

namespace collet::loader {
namespace {

constexpr std::size_t kRegionBytes = std::size_t{4} << 30;

// A handle may point to the last byte of the region, and its slot is read from there on.
constexpr std::size_t kGuardBytes = kSlabBytes;

// The first slab is a slot that equals no handle; NULL leads there.
alignas(64) constinit std::byte no_slot[kSlabBytes]{};

// Maps the region, readable and without memory behind it. A machine that refuses 4 GiB of address
// space keeps the region without room: NULL is told apart, and nothing can be created. Runs before
// the other constructors of this library, and so before those of its users.
[[gnu::constructor(101)]] void map_region() noexcept {
  void* memory =
      mmap(nullptr, kRegionBytes + kGuardBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && mprotect(memory, kSlabBytes, PROT_READ | PROT_WRITE) == 0) {
    slot_region = static_cast<std::byte*>(memory);
    // Where the kernel lacks it, a forked child sees live handles; exported functions that take
    // none still answer FORKED. The first slab must stay what it is.
    static_cast<void>(madvise(slot_region + kSlabBytes, kRegionBytes + kGuardBytes - kSlabBytes,
                              MADV_WIPEONFORK));
  }
  std::memset(slot_region, 0xff, kSlabBytes);
}

const char* article(Kind kind) noexcept {
  return kind == Kind::kEvent || kind == Kind::kAllocator ? "an" : "a";
}

}  // namespace

constinit std::byte* slot_region = no_slot;

void* take_slab() {
  static std::atomic<std::size_t> taken{kSlabBytes};
  const std::size_t offset = taken.fetch_add(kSlabBytes);
  if (slot_region == no_slot || offset > kRegionBytes - kSlabBytes ||
      mprotect(slot_region + offset, kSlabBytes, PROT_READ | PROT_WRITE) != 0) {
    throw std::bad_alloc();
  }
  // The sanitizer looks for pointers in the heap and in globals, and objects live in neither here.
  if (__lsan_register_root_region != nullptr) {
    __lsan_register_root_region(slot_region + offset, kSlabBytes);
  }
  return slot_region + offset;
}

const char* kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::kDevice:
      return "device";
    case Kind::kBuffer:
      return "buffer";
    case Kind::kStream:
      return "stream";
    case Kind::kEvent:
      return "event";
    case Kind::kProgram:
      return "program";
    case Kind::kKernel:
      return "kernel";
    case Kind::kPlan:
      return "plan";
    case Kind::kAllocator:
      return "allocator";
  }
  return "?";
}

collet_status_t refuse_handle(const char* function, const void* handle, Kind expected) noexcept {
  char text[160];
  if (forked()) {
    return record_error(function, COLLET_ERROR_FORKED, kForkedMessage);
  }
  if (handle == nullptr) {
    std::snprintf(text, sizeof text, "the %s handle is NULL", kind_name(expected));
    return record_error(function, COLLET_ERROR_INVALID_HANDLE, text);
  }
  const auto value = reinterpret_cast<std::uint64_t>(handle);
  for (std::size_t i = 0; i < kKindCount; ++i) {
    if (self_at(value, i) == value) {
      const Kind given = static_cast<Kind>(i);
      std::snprintf(text, sizeof text, "%s %s is needed, and this is a handle of %s %s",
                    article(expected), kind_name(expected), article(given), kind_name(given));
      return record_error(function, COLLET_ERROR_INVALID_HANDLE, text);
    }
  }
  std::snprintf(text, sizeof text, "the %s handle %p does not exist, or was released",
                kind_name(expected), handle);
  return record_error(function, COLLET_ERROR_INVALID_HANDLE, text);
}

}  // namespace collet::loader
