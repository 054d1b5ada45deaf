// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

namespace collet::mutants {
namespace {

constexpr auto kFull = COLLET_ERROR_OUT_OF_DEVICE_MEMORY;

}  // namespace

MUTANT("pool1-ignored", "PLUG-POOL-1", "the alignment that is asked for is ignored") {
  plugin.pool.allocate = [](auto* stream, auto size, auto, auto** out) {
    return good().pool->allocate(stream, size, 0, out);
  };
}

MUTANT("pool1-refused", "PLUG-POOL-1", "memory of no bytes is refused") {
  plugin.pool.allocate = [](auto* stream, auto size, auto alignment, auto** out) {
    if (size == 0) return COLLET_ERROR_INVALID_ARGUMENT;
    return good().pool->allocate(stream, size, alignment, out);
  };
}

MUTANT("pool1-failed", "PLUG-POOL-1", "a failed stream gets no memory") {
  plugin.pool.allocate = [](auto* stream, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().stream->query(stream);
    if (status < 0) return status;
    return good().pool->allocate(stream, size, alignment, out);
  };
}

MUTANT("pool2-at-once", "PLUG-POOL-2", "a free takes effect at once", also_breaks("PLUG-POOL-4")) {
  remember_device(plugin);
  plugin.pool.free = [](auto* memory, auto*) { good().pool->free(memory, side_stream()); };
}

MUTANT("pool2-waits", "PLUG-POOL-2", "a free waits for its stream",
       also_breaks("PLUG-POOL-3", "PLUG-POOL-4"), kFatal) {
  plugin.pool.free = [](auto* memory, auto* stream) {
    good().stream->synchronize(stream, COLLET_TIMEOUT_INFINITE);
    good().pool->free(memory, stream);
  };
}

MUTANT("pool3-lost", "PLUG-POOL-3", "what is freed is lost",
       also_breaks("PLUG-POOL-4", "PLUG-POOL-5")) {
  plugin.pool.free = [](auto*, auto*) {};
}

MUTANT("pool4-kept", "PLUG-POOL-4", "a trim keeps everything") {
  plugin.pool.trim = [](auto*, auto* out_released) {
    *out_released = 0;
    return COLLET_OK;
  };
}

MUTANT("pool4-untold", "PLUG-POOL-4", "a trim does not tell what it gave back") {
  plugin.pool.trim = [](auto* device, auto* out_released) {
    const collet_status_t status = good().pool->trim(device, out_released);
    *out_released /= 2;
    return status;
  };
}

MUTANT("pool4-unused", "PLUG-POOL-4", "info does not tell what is allocated") {
  plugin.pool.info = [](auto* device, auto* out_reserved, auto* out_used) {
    const collet_status_t status = good().pool->info(device, out_reserved, out_used);
    *out_used = 0;
    return status;
  };
}

MUTANT("pool5-wrong-code", "PLUG-POOL-5", "out of device memory is called out of host memory") {
  plugin.pool.allocate = [](auto* stream, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().pool->allocate(stream, size, alignment, out);
    return status == kFull ? COLLET_ERROR_OUT_OF_HOST_MEMORY : status;
  };
}

MUTANT("pool5-out-touched", "PLUG-POOL-5", "a failing allocation writes to its out parameter") {
  plugin.pool.allocate = [](auto* stream, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().pool->allocate(stream, size, alignment, out);
    if (status == kFull) *out = reinterpret_cast<collet_plugin_memory_t*>(out);
    return status;
  };
}

}  // namespace collet::mutants
