// SPDX-License-Identifier: Apache-2.0
#include "handle.hpp"

#include <sys/mman.h>

#include <cstdio>

#include "error.hpp"
#include "process.hpp"

namespace collet::loader {

void* map_slab(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  // Where the kernel lacks it, a forked child sees live handles; exported functions that take none
  // still answer FORKED.
  static_cast<void>(madvise(memory, size, MADV_WIPEONFORK));
  return memory;
}

const char* kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::device:
      return "device";
    case Kind::buffer:
      return "buffer";
    case Kind::stream:
      return "stream";
    case Kind::event:
      return "event";
    case Kind::program:
      return "program";
    case Kind::kernel:
      return "kernel";
    case Kind::plan:
      return "plan";
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
  const auto* head = reinterpret_cast<const SlotHead*>(value & kAddressMask);
  for (std::size_t i = 0; i < kKindCount; ++i) {
    if (head->self[i].load(std::memory_order_relaxed) == value) {
      std::snprintf(text, sizeof text, "a %s is needed, and this is a handle of a %s",
                    kind_name(expected), kind_name(static_cast<Kind>(i)));
      return record_error(function, COLLET_ERROR_INVALID_HANDLE, text);
    }
  }
  std::snprintf(text, sizeof text, "the %s handle %p does not exist, or was released",
                kind_name(expected), handle);
  return record_error(function, COLLET_ERROR_INVALID_HANDLE, text);
}

}  // namespace collet::loader
