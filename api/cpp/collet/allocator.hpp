// SPDX-License-Identifier: Apache-2.0
//
// Allocators. AllocOptions::allocator names one to Stream::allocate().
#pragma once

#include <collet/allocator.h>

#include <chrono>
#include <collet/detail/object.hpp>
#include <collet/detail/timeout.hpp>
#include <collet/device.hpp>
#include <cstdint>
#include <string>

namespace collet {

struct AllocatorOptions {
  /// Each buffer is an allocation of the device.
  bool unpooled = false;
  /// Device memory is from the pool that the device itself has.
  bool native = false;
  /// Names the allocator in reports.
  const char* name = nullptr;
  /// Most bytes that it takes from the device of each kind of memory; 0: no limit.
  std::uint64_t limit_bytes = 0;
  /// Functions that supply host memory in place of the device's.
  collet_host_allocator_t host{};
};

/// Where buffers come from, and what it has. Copies share it. Any thread.
class Allocator
    : public detail::Object<collet_allocator_t, collet_allocator_retain, collet_allocator_release> {
 public:
  using Object::Object;

  explicit Allocator(const Device& device = current_device(), const AllocatorOptions& options = {})
      : Object(create(device, options)) {}

  /// The device's own, which serves buffers that name none.
  static Allocator of(const Device& device) {
    collet_allocator_t* handle = nullptr;
    check(collet_device_allocator(device.get(), &handle));
    return Allocator(handle);
  }

  /// What it has of a kind of memory, at one moment.
  collet_memory_statistics_t statistics(collet_memory_kind_t kind = COLLET_MEMORY_DEVICE) const {
    collet_memory_statistics_t statistics = COLLET_MEMORY_STATISTICS_INIT;
    check(collet_allocator_statistics(get(), kind, &statistics));
    return statistics;
  }

  void reset_peaks() const { check(collet_allocator_reset_peaks(get())); }

  /// 0: no limit.
  void set_limit(std::uint64_t limit_bytes,
                 collet_memory_kind_t kind = COLLET_MEMORY_DEVICE) const {
    check(collet_allocator_set_limit(get(), kind, limit_bytes));
  }

  /// Gives memory back to the device that no buffer and no stream uses; returns the bytes.
  /// Blocking: waits for streams that still use released memory.
  std::uint64_t trim() const { return trim_within(COLLET_TIMEOUT_INFINITE); }

  /// As trim(), but waits no longer than `timeout`. Blocking.
  template <class Rep, class Period>
  std::uint64_t trim(std::chrono::duration<Rep, Period> timeout) const {
    return trim_within(detail::timeout_ns(timeout));
  }

  /// A table for people, or JSON.
  std::string report(collet_report_format_t format = COLLET_REPORT_TEXT) const {
    std::string text;
    std::uint64_t size_bytes = 0;
    check(collet_allocator_report(get(), format, nullptr, 0, &size_bytes));
    // It may have grown meanwhile.
    while (text.size() + 1 < size_bytes) {
      text.resize(size_bytes - 1);
      check(collet_allocator_report(get(), format, text.data(), text.size() + 1, &size_bytes));
    }
    text.resize(size_bytes - 1);
    return text;
  }

 private:
  static collet_allocator_t* create(const Device& device, const AllocatorOptions& options) {
    collet_allocator_desc_t desc = COLLET_ALLOCATOR_DESC_INIT;
    if (options.unpooled) desc.flags |= COLLET_ALLOCATOR_UNPOOLED;
    if (options.native) desc.flags |= COLLET_ALLOCATOR_NATIVE;
    desc.name = options.name;
    desc.limit_bytes = options.limit_bytes;
    desc.host = options.host;
    collet_allocator_t* handle = nullptr;
    check(collet_allocator_create(device.get(), &desc, &handle));
    return handle;
  }

  std::uint64_t trim_within(std::uint64_t timeout_ns) const {
    std::uint64_t released_bytes = 0;
    check(collet_allocator_trim(get(), timeout_ns, &released_bytes));
    return released_bytes;
  }
};

}  // namespace collet
