// SPDX-License-Identifier: Apache-2.0
// Allocators: making them, and what they tell.
#include <collet/allocator.h>

#include <cstring>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "pool/device_memory.hpp"
#include "pool/memory_report.hpp"

namespace collet::loader {

Allocator::Allocator(AllocatorState& shared) : device(&shared.device()), state(&shared) {}

Allocator::~Allocator() {
  if (state != &device->pools->own()) {
    device->pools->close(*state);
  }
}

namespace {

collet_memory_kind_t checked_kind(const collet_memory_kind_t& kind) {
  const std::uint32_t number = number_of(kind);
  if (number > COLLET_MEMORY_SHARED) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "kind " + std::to_string(number) + " is not a kind of memory");
  }
  return kind;
}

void check_source(const Device& device, const collet_allocator_desc_t& desc) {
  check_flags(desc.flags, COLLET_ALLOCATOR_UNPOOLED | COLLET_ALLOCATOR_NATIVE, "desc.flags");
  if ((desc.host.allocate == nullptr) != (desc.host.free == nullptr)) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "desc.host has one of its functions only; it needs both, or none");
  }
  if ((desc.flags & COLLET_ALLOCATOR_NATIVE) == 0) {
    return;
  }
  if (desc.host.allocate != nullptr || (desc.flags & COLLET_ALLOCATOR_UNPOOLED) != 0) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                std::string("desc.flags have COLLET_ALLOCATOR_NATIVE, so that memory is of the "
                            "device's pool; leave out ") +
                    (desc.host.allocate != nullptr ? "desc.host" : "COLLET_ALLOCATOR_UNPOOLED"));
  }
  static_cast<void>(device.native_pool());
}

void create_allocator(Device& device, const collet_allocator_desc_t* desc,
                      collet_allocator_t** out_allocator) {
  const auto own = read_optional(desc, COLLET_STRUCT_ALLOCATOR_DESC, "desc");
  check_source(device, own);
  AllocatorState& state = device.pools->add(own);
  try {
    create_handle<Allocator>(out_allocator, state);
  } catch (...) {
    device.pools->close(state);
    throw;
  }
}

std::uint64_t write_report(const std::string& report, char* out_text,
                           std::uint64_t capacity_bytes) {
  if (capacity_bytes != 0) {
    require(out_text, "out_text");
    const std::size_t length = std::min<std::size_t>(report.size(), capacity_bytes - 1);
    std::memcpy(out_text, report.data(), length);
    out_text[length] = '\0';
  }
  return report.size() + 1;
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_allocator_create(collet_device_t* device,
                                        const collet_allocator_desc_t* desc,
                                        collet_allocator_t** out_allocator) {
  clear_out(out_allocator);
  return guarded(__func__, [&] {
    require_entry();
    require(out_allocator, "out_allocator");
    create_allocator(need("collet_allocator_create", device), desc, out_allocator);
  });
}

collet_status_t collet_device_allocator(collet_device_t* device,
                                        collet_allocator_t** out_allocator) {
  clear_out(out_allocator);
  return guarded(__func__, [&] {
    require_entry();
    require(out_allocator, "out_allocator");
    create_handle<Allocator>(out_allocator, need("collet_device_allocator", device).pools->own());
  });
}

collet_status_t collet_allocator_retain(collet_allocator_t* allocator) {
  return retain_handle(__func__, allocator);
}

void collet_allocator_release(collet_allocator_t* allocator) { release_handle(allocator); }

collet_status_t collet_allocator_statistics(collet_allocator_t* allocator,
                                            collet_memory_kind_t kind,
                                            collet_memory_statistics_t* out_statistics) {
  return guarded(__func__, [&] {
    require_entry();
    prepare_out(out_statistics, COLLET_STRUCT_MEMORY_STATISTICS, "out_statistics");
    const Allocator& of = need("collet_allocator_statistics", allocator);
    MemoryPool& pool = of.state->pool(checked_kind(kind));
    write_out(statistics_of(pool.snapshot()), out_statistics);
  });
}

collet_status_t collet_allocator_reset_peaks(collet_allocator_t* allocator) {
  return guarded(__func__, [&] {
    require_entry();
    need("collet_allocator_reset_peaks", allocator).state->reset_peaks();
  });
}

collet_status_t collet_allocator_set_limit(collet_allocator_t* allocator, collet_memory_kind_t kind,
                                           uint64_t limit_bytes) {
  return guarded(__func__, [&] {
    require_entry();
    const Allocator& of = need("collet_allocator_set_limit", allocator);
    of.state->pool(checked_kind(kind)).set_limit(limit_bytes == 0 ? UINT64_MAX : limit_bytes);
  });
}

collet_status_t collet_allocator_trim(collet_allocator_t* allocator, uint64_t timeout_ns,
                                      uint64_t* out_released_bytes) {
  clear_out(out_released_bytes);
  return guarded(__func__, [&] {
    require_entry();
    const Allocator& of = need("collet_allocator_trim", allocator);
    const std::uint64_t released_bytes =
        of.device->pools->trim(*of.state, deadline_after(timeout_ns));
    if (out_released_bytes != nullptr) {
      *out_released_bytes = released_bytes;
    }
  });
}

collet_status_t collet_allocator_report(collet_allocator_t* allocator,
                                        collet_report_format_t format, char* out_text,
                                        uint64_t capacity_bytes, uint64_t* out_size_bytes) {
  clear_out(out_size_bytes);
  return guarded(__func__, [&] {
    require_entry();
    require(out_size_bytes, "out_size_bytes");
    const Allocator& of = need("collet_allocator_report", allocator);
    const std::uint32_t number = number_of(format);
    if (number > COLLET_REPORT_JSON) {
      throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                  "format " + std::to_string(number) + " is not a format of reports");
    }
    *out_size_bytes =
        write_report(number == COLLET_REPORT_JSON ? report_json(*of.state) : report_text(*of.state),
                     out_text, capacity_bytes);
  });
}
