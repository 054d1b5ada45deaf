// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <cstring>

#include "mutant.hpp"

namespace collet::mutants {
namespace {

std::atomic<int> times_opened{0};

collet_status_t open_and_count(std::uint32_t index, collet_plugin_device_t** out_device) {
  const collet_status_t status = good().root->device_open(index, out_device);
  if (status == COLLET_OK) ++times_opened;
  return status;
}

std::uint32_t clamped(std::uint32_t index) {
  std::uint32_t count = 0;
  good().root->device_count(&count);
  return index < count ? index : count - 1;
}

}  // namespace

MUTANT("dev1-count-grows", "PLUG-DEV-1", "there is one device more after the first is opened") {
  plugin.root.device_open = open_and_count;
  plugin.root.device_count = [](std::uint32_t* out_count) {
    const collet_status_t status = good().root->device_count(out_count);
    if (times_opened.load() > 0) ++*out_count;
    return status;
  };
}

MUTANT("dev2-clamped", "PLUG-DEV-2", "an index that is too large means the last device",
       also_breaks("PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.root.device_open = [](std::uint32_t index, collet_plugin_device_t** out_device) {
    return good().root->device_open(clamped(index), out_device);
  };
  plugin.root.device_properties = [](std::uint32_t index, collet_device_properties_t* out) {
    return good().root->device_properties(clamped(index), out);
  };
}

MUTANT("dev2-wrong-code", "PLUG-DEV-2", "an index that is too large is an invalid argument",
       also_breaks("PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.root.device_open = [](std::uint32_t index, collet_plugin_device_t** out_device) {
    const collet_status_t status = good().root->device_open(index, out_device);
    return status == COLLET_ERROR_NO_SUCH_DEVICE ? COLLET_ERROR_INVALID_ARGUMENT : status;
  };
}

MUTANT("dev3-field-left", "PLUG-DEV-3", "the uuid is left as the caller had it") {
  plugin.root.device_properties = [](std::uint32_t index, collet_device_properties_t* out) {
    char before[sizeof(out->uuid)];
    const bool has_uuid =
        out->base.struct_size >= offsetof(collet_device_properties_t, uuid) + sizeof(before);
    if (has_uuid) std::memcpy(before, out->uuid, sizeof(before));
    const collet_status_t status = good().root->device_properties(index, out);
    if (has_uuid) std::memcpy(out->uuid, before, sizeof(before));
    return status;
  };
}

MUTANT("dev3-no-nul", "PLUG-DEV-3", "a text fills its field without a NUL",
       also_breaks("PLUG-DEV-1")) {
  plugin.root.device_properties = [](std::uint32_t index, collet_device_properties_t* out) {
    const collet_status_t status = good().root->device_properties(index, out);
    if (out->base.struct_size >= sizeof(*out)) std::memset(out->vendor, 'x', sizeof(out->vendor));
    return status;
  };
}

MUTANT("dev3-wrong-id", "PLUG-DEV-3", "the id does not select the device") {
  plugin.root.device_properties = [](std::uint32_t index, collet_device_properties_t* out) {
    const collet_status_t status = good().root->device_properties(index, out);
    if (out->base.struct_size >= sizeof(*out)) out->id[0] = 'X';
    return status;
  };
}

MUTANT("dev4-once", "PLUG-DEV-4", "a device can be opened once", also_breaks("PLUG-DEV-1")) {
  plugin.root.device_open = [](std::uint32_t index, collet_plugin_device_t** out_device) {
    const bool is_again = times_opened.load() > 0 && clamped(index) == index;
    return is_again ? COLLET_ERROR_UNAVAILABLE : open_and_count(index, out_device);
  };
}

}  // namespace collet::mutants
