// SPDX-License-Identifier: Apache-2.0
#include "pool/out_of_memory.hpp"

#include "bytes_text.hpp"
#include "pool/device_memory.hpp"

namespace collet::loader {
namespace {

constexpr std::size_t kUsersShown = 4;

// "1.50 GiB (1610612737 bytes)"
std::string exact_text(std::uint64_t bytes) {
  const std::string text = bytes_text(bytes);
  return bytes < 1024 ? text : text + " (" + std::to_string(bytes) + " bytes)";
}

const char* kind_text(collet_memory_kind_t kind) {
  switch (kind) {
    case COLLET_MEMORY_PINNED:
      return "pinned memory";
    case COLLET_MEMORY_SHARED:
      return "shared memory";
    default:
      return "memory";
  }
}

std::string headline(const Device& device, collet_memory_kind_t kind) {
  return std::string("out of ") + kind_text(kind) + " on " + device.label() + " (" +
         device.properties.name + ", " + bytes_text(device.properties.memory_bytes) + ")";
}

std::string asked_text(const Stream& on, const BufferRequest& request) {
  std::string text = "\n  asked for     " + exact_text(request.size_bytes);
  if (!on.state->label.empty()) {
    text += ", stream " + in_quotes(on.state->label);
  }
  if (request.tag != nullptr) {
    text += ", tag " + in_quotes(request.tag->name);
  }
  return text;
}

// `reserved_bytes` are the pool's that tells it; UINT64_MAX if it is none.
std::string device_text(const Device& device, std::uint64_t reserved_bytes) {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  if (device.memory->info(device.impl, &free_bytes, &total_bytes) != COLLET_OK) {
    drop_report();
    return "\n  device        does not tell what is free";
  }
  std::string text = "\n  device        " + bytes_text(total_bytes) + " total, " +
                     bytes_text(free_bytes) + " free";
  if (total_bytes > free_bytes && total_bytes - free_bytes > reserved_bytes) {
    text +=
        ", " + bytes_text(total_bytes - free_bytes - reserved_bytes) + " used outside this pool";
  }
  return text;
}

std::string native_text(const MemoryPool& pool) {
  const auto native = pool.source().native_info();
  return native ? "\n  device's pool " + bytes_text(native->reserved_bytes) + " reserved, " +
                      bytes_text(native->used_bytes) + " of it allocated"
                : "";
}

std::string pool_text(const PoolSnapshot& now) {
  const std::uint64_t allocated = at(now.current, Measure::kAllocated);
  const std::uint64_t active = at(now.current, Measure::kActive);
  return "\n  pool          " + bytes_text(now.reserved.current) +
         " reserved = " + bytes_text(allocated) + " allocated + " + bytes_text(active - allocated) +
         " waiting for streams + " + bytes_text(now.reserved.current - active) + " free";
}

std::string users_text(const MemoryPool& pool) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, bytes] : pool.users()) {
    if (shown++ == kUsersShown) {
      break;
    }
    text += (text.empty() ? "\n  biggest users " : ", ") + escaped(name) + " " + bytes_text(bytes);
  }
  return text;
}

// What fits the case best.
std::string advice(const MemoryPool& pool, const Fit& fit, const PoolSnapshot& now,
                   const Refusal& refusal) {
  const std::uint64_t active = at(now.current, Measure::kActive);
  const std::uint64_t waiting = active - at(now.current, Measure::kAllocated);
  const std::uint64_t free_bytes = now.reserved.current - active;
  if (refusal.limit_bytes != 0 && fit.size_bytes > refusal.limit_bytes) {
    return "a greater limit, or smaller pieces: it can never fit below this one";
  }
  if (free_bytes >= fit.size_bytes) {
    return pool.settings().max_split_bytes == UINT64_MAX
               ? "COLLET_MEMORY=max_split=64MiB, so that small buffers do not cut up large blocks"
               : "to allocate large buffers first, and to keep them";
  }
  if (waiting >= fit.size_bytes) {
    return "a longer time-out, or to wait for the streams that still use released memory";
  }
  if (refusal.limit_bytes != 0) {
    return "a greater limit, or less at a time";
  }
  return "less at a time, such as a smaller batch";
}

}  // namespace

Error out_of_memory(MemoryPool& pool, const Stream& on, const Fit& fit,
                    const BufferRequest& request, const Refusal& refusal) {
  const Device& device = *on.device;
  const PoolSnapshot now = pool.snapshot();
  std::string text = headline(device, pool.kind()) + asked_text(on, request);
  if (fit.size_bytes != request.size_bytes) {
    text += ", rounded to " + bytes_text(fit.size_bytes);
  }
  text += "\n  stopped by    " +
          (refusal.limit_bytes != 0
               ? "the limit of " + bytes_text(refusal.limit_bytes)
               : "the device" +
                     (now.limit_bytes == UINT64_MAX
                          ? std::string(", no limit is set")
                          : ", below the limit of " + bytes_text(now.limit_bytes)) +
                     ": " + refusal.reason);
  text += device_text(device, now.reserved.current) + native_text(pool) + pool_text(now);
  text += "\n  largest free  " + bytes_text(now.largest_free_bytes);
  text += users_text(pool);
  Error error(COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
              text + "\n  try           " + advice(pool, fit, now, refusal), device.backend_name);
  error.with_native(refusal.native_code, refusal.native_name);
  return error;
}

Error larger_than_allocation(const Stream& on, collet_memory_kind_t kind,
                             const BufferRequest& request) {
  const Device& device = *on.device;
  return {COLLET_ERROR_OUT_OF_DEVICE_MEMORY,
          headline(device, kind) + asked_text(on, request) +
              "\n  stopped by    the largest single allocation, " +
              exact_text(device.traits[kind].max_allocation_bytes) +
              device_text(device, UINT64_MAX) +
              "\n  try           several buffers that are smaller",
          device.backend_name};
}

}  // namespace collet::loader
