// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "mutant.hpp"

namespace collet::mutants {
namespace {

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

bool is_mandatory(collet_interface_t id) {
  return id == COLLET_INTERFACE_MEMORY_V1 || id == COLLET_INTERFACE_STREAM_V1 ||
         id == COLLET_INTERFACE_EVENT_V1;
}

/** The interposer's own function, before a mutant replaces it. */
collet_status_t (*ordinary_interface)(collet_plugin_device_t*, collet_interface_t, const void**,
                                      const char**) = nullptr;

void replace_interface(Plugin& plugin, decltype(ordinary_interface) with) {
  if (plugin.root.device_interface != nullptr && plugin.root.device_interface != with) {
    ordinary_interface = plugin.root.device_interface;
  }
  plugin.root.device_interface = with;
}

}  // namespace

MUTANT("root1-another-table", "PLUG-ROOT-1", "each query gives a root table of its own") {
  plugin.give_root = []() -> const collet_plugin_t* { return new collet_plugin_t(mutated().root); };
}

MUTANT("root1-thread", "PLUG-ROOT-1", "the query starts a thread") {
  plugin.give_root = []() -> const collet_plugin_t* {
    std::thread(wait_for_ever).detach();
    return &mutated().root;
  };
}

MUTANT("root2-null-slot", "PLUG-ROOT-2", "a slot of the memory table is NULL") {
  plugin.memory.native_pointer = nullptr;
}

MUTANT("root2-small-table", "PLUG-ROOT-2", "the stream table claims to be smaller than ABI 1.0's") {
  plugin.stream.struct_size = 16;
}

MUTANT("root3-no-reason", "PLUG-ROOT-3", "an absent interface has no reason") {
  replace_interface(plugin, [](auto* device, auto id, auto** out_table, auto** out_reason) {
    const collet_status_t status = ordinary_interface(device, id, out_table, out_reason);
    if (status != COLLET_OK) *out_reason = "";
    return status;
  });
}

MUTANT("root3-wrong-code", "PLUG-ROOT-3", "an unknown interface is an invalid argument") {
  replace_interface(plugin, [](auto* device, auto id, auto** out_table, auto** out_reason) {
    const collet_status_t status = ordinary_interface(device, id, out_table, out_reason);
    return status == COLLET_OK ? status : COLLET_ERROR_INVALID_ARGUMENT;
  });
}

MUTANT("root3-moving-table", "PLUG-ROOT-3", "a table lies elsewhere at each call") {
  replace_interface(plugin, [](auto* device, auto id, auto** out_table, auto** out_reason) {
    const collet_status_t status = ordinary_interface(device, id, out_table, out_reason);
    if (id == COLLET_INTERFACE_EVENT_V1 && is_mandatory(id)) {
      *out_table = new collet_plugin_event_interface_t(mutated().event);
    }
    return status;
  });
}

MUTANT("root4-old-host", "PLUG-ROOT-4", "a host of ABI 0.9 is accepted") {
  plugin.host.abi_version = COLLET_ABI_VERSION;
}

MUTANT("root4-exact-version", "PLUG-ROOT-4", "a host of another minor version is refused") {
  if (plugin.host.abi_version != COLLET_ABI_VERSION) plugin.host.abi_version = 0;
}

MUTANT("root5-past-the-struct", "PLUG-ROOT-5", "traits are written past a smaller struct") {
  plugin.memory.traits = [](auto* device, auto kind, auto* out_traits) {
    collet_memory_traits_t traits{};
    traits.struct_size = sizeof(traits);
    const collet_status_t status = good().memory->traits(device, kind, &traits);
    traits.struct_size = out_traits->struct_size;
    *out_traits = traits;
    return status;
  };
}

MUTANT("root5-kernel-info", "PLUG-ROOT-5", "kernel_info is written past a smaller struct") {
  plugin.program.kernel_info = [](auto* kernel, auto* out_info) {
    collet_kernel_info_t info{};
    info.base = {COLLET_STRUCT_KERNEL_INFO, sizeof(info), nullptr};
    const collet_status_t status = good().program->kernel_info(kernel, &info);
    info.base = out_info->base;
    *out_info = info;
    return status;
  };
}

MUTANT("root5-head", "PLUG-ROOT-5", "the head of the caller's struct is overwritten") {
  plugin.root.device_properties = [](std::uint32_t index, collet_device_properties_t* out) {
    const collet_status_t status = good().root->device_properties(index, out);
    out->base.struct_size = sizeof(*out);
    return status;
  };
}

MUTANT("root6-throws", "PLUG-ROOT-6", "an exception leaves a failing allocation",
       also_breaks("PLUG-ROOT-7", "PLUG-MEM-4")) {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    if (status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY) throw std::runtime_error("out of memory");
    return status;
  };
}

MUTANT("root6-ends-the-process", "PLUG-ROOT-6", "a failing allocation ends the process", kFatal,
       also_breaks("PLUG-ROOT-7", "PLUG-MEM-4")) {
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    if (status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY) std::_Exit(EXIT_FAILURE);
    return status;
  };
}

MUTANT("root7-silent", "PLUG-ROOT-7", "nothing is reported",
       also_breaks("PLUG-ROOT-4", "PLUG-PRG-1", "PLUG-PRG-3")) {
  plugin.report = [](collet_status_t, std::int64_t, const char*, const char*) {};
}

MUTANT("root7-another-status", "PLUG-ROOT-7", "the report has another status than the call",
       also_breaks("PLUG-ROOT-4")) {
  plugin.report = [](collet_status_t, std::int64_t code, const char* name, const char* message) {
    report(COLLET_ERROR_INTERNAL, code, name, message);
  };
}

MUTANT("root7-no-text", "PLUG-ROOT-7", "the report of a time-out has no text") {
  plugin.report = [](collet_status_t status, std::int64_t code, const char* name,
                     const char* message) {
    report(status, code, name, status == COLLET_ERROR_TIMEOUT ? "" : message);
  };
}

MUTANT("root8-hangs", "PLUG-ROOT-8", "the process does not end while a device is open") {
  plugin.root.device_open = [](std::uint32_t index, collet_plugin_device_t** out_device) {
    static const int kRegistered = std::atexit([] { wait_for_ever(); });
    static_cast<void>(kRegistered);
    return good().root->device_open(index, out_device);
  };
}

MUTANT("root8-crashes", "PLUG-ROOT-8", "the process crashes at its end if a stream is alive") {
  plugin.stream.create = [](auto* device, auto* desc, auto** out_stream) {
    static const int kRegistered = std::atexit([] { std::abort(); });
    static_cast<void>(kRegistered);
    return good().stream->create(device, desc, out_stream);
  };
}

}  // namespace collet::mutants
