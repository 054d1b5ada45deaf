// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <vector>

#include "tools.hpp"

namespace collet::mutants {
namespace {

constexpr auto kFull = COLLET_ERROR_OUT_OF_DEVICE_MEMORY;

/** Handles that are given out more than once: how often. */
auto& shares() { return notes<collet_plugin_memory_t, int, 0>(); }

void free_shared(collet_plugin_memory_t* memory) {
  if (int* const count = shares().find(memory)) {
    if (--*count > 0) return;
    shares().forget(memory);
  }
  good().memory->free(memory);
}

struct Shadow {
  std::vector<char> bytes;
};
auto& shadows() { return notes<collet_plugin_memory_t, Shadow, 1>(); }

}  // namespace

MUTANT("mem1-promised", "PLUG-MEM-1", "memory has a lower alignment than the traits declare") {
  plugin.memory.traits = [](auto* device, auto kind, auto* out_traits) {
    const collet_status_t status = good().memory->traits(device, kind, out_traits);
    if (out_traits->struct_size >= sizeof(*out_traits)) {
      out_traits->alignment_bytes = out_traits->max_alignment_bytes;
    }
    return status;
  };
}

MUTANT("mem1-ignored", "PLUG-MEM-1", "the alignment that is asked for is ignored") {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto, auto** out) {
    return good().memory->allocate(device, kind, size, 0, out);
  };
}

MUTANT("mem2-refused", "PLUG-MEM-2", "memory of no bytes is refused",
       also_breaks("PLUG-MEM-6", "PLUG-OPS-6")) {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    if (size == 0) return COLLET_ERROR_INVALID_ARGUMENT;
    return good().memory->allocate(device, kind, size, alignment, out);
  };
}

MUTANT("mem2-shared", "PLUG-MEM-2", "all memory of no bytes is the same") {
  plugin.memory.free = free_shared;
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    static collet_plugin_memory_t* empty = nullptr;
    if (size != 0) return good().memory->allocate(device, kind, size, alignment, out);
    const collet_status_t status =
        empty == nullptr ? good().memory->allocate(device, kind, 0, 0, &empty) : COLLET_OK;
    shares().of(empty) += 2;
    *out = empty;
    return status;
  };
}

MUTANT("mem3-overlap", "PLUG-MEM-3", "of two memories of one small size, the second is the first",
       also_breaks("PLUG-NUM-3", "PLUG-NUM-5", "PLUG-OPS-2", "PLUG-OPS-3", "PLUG-STR-1",
                   "PLUG-STR-10", "PLUG-STR-11")) {
  plugin.memory.free = free_shared;
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    static std::mutex mutex;
    static auto& latest = *new std::map<std::pair<int, std::uint64_t>, collet_plugin_memory_t*>;
    const std::lock_guard lock(mutex);
    auto& found = latest[{kind, (size + 63) / 64}];
    const bool is_small = size > 64 && size < 300;
    if (is_small && found != nullptr && shares().find(found) != nullptr) {
      ++shares().of(found);
      *out = found;
      return COLLET_OK;
    }
    // Rounded up, so that both fit.
    const collet_status_t status = good().memory->allocate(
        device, kind, is_small ? (size + 63) / 64 * 64 : size, alignment, out);
    if (is_small && status == COLLET_OK) {
      found = *out;
      shares().of(found) = 1;
    }
    return status;
  };
}

MUTANT("mem4-success", "PLUG-MEM-4", "out of memory is answered with OK and too little memory",
       also_breaks("PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    return status == kFull ? good().memory->allocate(device, kind, 64, 0, out) : status;
  };
}

MUTANT("mem4-wrong-code", "PLUG-MEM-4", "out of device memory is called out of host memory",
       also_breaks("PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    return status == kFull ? COLLET_ERROR_OUT_OF_HOST_MEMORY : status;
  };
}

MUTANT("mem4-out-touched", "PLUG-MEM-4", "a failing allocation writes to its out parameter") {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    if (status == kFull) *out = reinterpret_cast<collet_plugin_memory_t*>(out);
    return status;
  };
}

MUTANT("mem4-stays-charged", "PLUG-MEM-4", "what did not fit stays charged") {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    static std::atomic<int> failures{0};
    if (failures.load() > 100) {
      report(kFull, 0, "", "the mutant is full");
      return kFull;
    }
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    if (status == kFull) ++failures;
    return status;
  };
}

MUTANT("mem5-shadow", "PLUG-MEM-5", "the host address of large pinned memory is a shadow copy") {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    if (status == COLLET_OK && kind != COLLET_MEMORY_DEVICE && size > 4096) {
      shadows().of(*out).bytes.resize(size + 4096);
    }
    return status;
  };
  plugin.memory.free = [](auto* memory) {
    shadows().forget(memory);
    good().memory->free(memory);
  };
  plugin.memory.host_pointer = [](auto* memory, auto** out_pointer) {
    const collet_status_t status = good().memory->host_pointer(memory, out_pointer);
    if (Shadow* const shadow = shadows().find(memory)) {
      const auto address = reinterpret_cast<std::uintptr_t>(shadow->bytes.data());
      *out_pointer = reinterpret_cast<void*>((address + 4095) / 4096 * 4096);
    }
    return status;
  };
}

MUTANT("mem5-registered-elsewhere", "PLUG-MEM-5", "registered memory is a copy of the caller's") {
  plugin.memory.register_host = [](auto* device, auto*, auto size, auto** out) {
    return good().memory->allocate(device, COLLET_MEMORY_PINNED, size, 0, out);
  };
}

MUTANT("mem6-undeclared", "PLUG-MEM-6", "shared memory is declared absent, and is there",
       also_breaks("PLUG-MEM-5")) {
  plugin.memory.traits = [](auto* device, auto kind, auto* out_traits) {
    const collet_status_t status = good().memory->traits(device, kind, out_traits);
    if (kind == COLLET_MEMORY_SHARED && out_traits->struct_size >= sizeof(*out_traits)) {
      out_traits->supported = 0;
    }
    return status;
  };
}

MUTANT("mem6-claimed", "PLUG-MEM-6", "pinned memory is claimed, and UNSUPPORTED when it is large",
       also_breaks("PLUG-MEM-1", "PLUG-MEM-3", "PLUG-MEM-5")) {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    if (kind == COLLET_MEMORY_PINNED && size > 4096) return COLLET_ERROR_UNSUPPORTED;
    return good().memory->allocate(device, kind, size, alignment, out);
  };
}

}  // namespace collet::mutants
