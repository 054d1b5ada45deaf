// SPDX-License-Identifier: Apache-2.0
#include "pool/segment_source.hpp"

#include "error.hpp"
#include "objects.hpp"
#include "pinned_ranges.hpp"
#include "process.hpp"

namespace collet::loader {

collet_status_t SegmentSource::allocate_by_host(Segment& segment) const {
  const bool is_host_visible = (device_.properties.flags & COLLET_DEVICE_HOST_VISIBLE) != 0;
  if (kind_ != COLLET_MEMORY_PINNED && !(kind_ == COLLET_MEMORY_DEVICE && is_host_visible)) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                "this allocator has memory of the host, which cannot be this kind of memory on " +
                    std::string(device_.label()) + "; ask it for pinned memory",
                device_.backend_name);
  }
  // The host's function may not come back to the pool that waits for it.
  const CallbackScope scope;
  void* data = nullptr;
  const std::uint64_t size_bytes = segment.size_bytes;
  const std::uint64_t alignment_bytes = segment.alignment_bytes;
  if (functions_.allocate(functions_.user_data, size_bytes, alignment_bytes, &data) != COLLET_OK ||
      data == nullptr) {
    return COLLET_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  const auto free = [&] { functions_.free(functions_.user_data, data, size_bytes); };
  if ((reinterpret_cast<std::uintptr_t>(data) & (alignment_bytes - 1)) != 0) {
    free();
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "the host's function `allocate` was asked for an alignment of " +
                    std::to_string(alignment_bytes) + " bytes, and its memory does not have it");
  }
  const auto status =
      device_.memory->register_host(device_.impl, data, size_bytes, &segment.memory);
  if (status != COLLET_OK) {
    free();
    return status;
  }
  segment.host = data;
  return COLLET_OK;
}

collet_status_t SegmentSource::allocate(Segment& segment) const {
  if (native_ != nullptr) {
    return native_->allocate(segment.stream->impl, segment.size_bytes, segment.alignment_bytes,
                             &segment.memory);
  }
  if (functions_.allocate != nullptr) {
    if (const auto status = allocate_by_host(segment); status != COLLET_OK) {
      return status;
    }
  } else {
    const auto status = device_.memory->allocate(device_.impl, kind_, segment.size_bytes,
                                                 segment.alignment_bytes, &segment.memory);
    if (status != COLLET_OK) {
      return status;
    }
    if (kind_ != COLLET_MEMORY_DEVICE) {
      if (const auto found = device_.memory->host_pointer(segment.memory, &segment.host);
          found != COLLET_OK) {
        device_.memory->free(segment.memory);
        return found;
      }
    }
  }
  if (segment.host != nullptr) {
    try {
      add_pinned_range(segment.host, segment.size_bytes, device_, segment.memory);
    } catch (...) {
      segment.host = nullptr;
      free(segment);
      throw;
    }
  }
  return COLLET_OK;
}

void SegmentSource::free(const Segment& segment) const noexcept {
  if (native_ != nullptr) {
    native_->free(segment.memory, segment.stream->impl);
    return;
  }
  if (segment.host != nullptr) {
    remove_pinned_range(segment.host, segment.size_bytes, device_);
  }
  device_.memory->free(segment.memory);
  if (functions_.free != nullptr) {
    const CallbackScope scope;
    functions_.free(functions_.user_data, segment.host, segment.size_bytes);
  }
}

std::optional<NativeInfo> SegmentSource::native_info() const noexcept {
  NativeInfo info;
  if (native_ == nullptr) {
    return std::nullopt;
  }
  const auto status = native_->info(device_.impl, &info.reserved_bytes, &info.used_bytes);
  drop_report();
  return status == COLLET_OK ? std::optional(info) : std::nullopt;
}

std::uint64_t SegmentSource::trim_native() const noexcept {
  std::uint64_t released_bytes = 0;
  const auto status = native_->trim(device_.impl, &released_bytes);
  drop_report();
  return status == COLLET_OK ? released_bytes : 0;
}

}  // namespace collet::loader
