// SPDX-License-Identifier: Apache-2.0
/** A stream; its work is finished, and it is destroyed, with the object. */
#pragma once

#include <cstdint>
#include <functional>

#include "bytes.hpp"
#include "device.hpp"
#include "event.hpp"
#include "memory.hpp"

namespace collet::conformance {

class Stream {
 public:
  /** A failure ends the case. Only background streams can be gated. */
  explicit Stream(Device& device, std::uint32_t flags = COLLET_STREAM_BACKGROUND,
                  const char* label = nullptr);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&& other) noexcept : device_(other.device_), handle_(other.handle_) {
    other.handle_ = nullptr;
  }
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  [[nodiscard]] Device& device() const noexcept { return *device_; }
  [[nodiscard]] collet_plugin_stream_t* handle() const noexcept { return handle_; }

  // The table's functions as they are.
  [[nodiscard]] collet_status_t query() const;
  [[nodiscard]] collet_status_t synchronize(std::uint64_t timeout_ns = patience_ns()) const;
  [[nodiscard]] collet_status_t reset() const;
  [[nodiscard]] collet_status_t annotate(std::uint64_t correlation_id, const char* label) const;
  [[nodiscard]] collet_status_t copy(const Memory& dst, std::uint64_t dst_offset, const Memory& src,
                                     std::uint64_t src_offset, std::uint64_t size) const;
  [[nodiscard]] collet_status_t copy_rect(const Memory& dst, const Memory& src,
                                          const collet_rect_t& rect) const;
  [[nodiscard]] collet_status_t write(const Memory& dst, std::uint64_t offset, const void* src,
                                      std::uint64_t size, std::uint32_t flags = 0,
                                      std::uint64_t timeout_ns = patience_ns()) const;
  [[nodiscard]] collet_status_t read(void* dst, const Memory& src, std::uint64_t offset,
                                     std::uint64_t size, std::uint32_t flags = 0,
                                     std::uint64_t timeout_ns = patience_ns()) const;
  [[nodiscard]] collet_status_t fill(const Memory& dst, std::uint64_t offset, std::uint64_t size,
                                     const void* pattern, std::uint64_t pattern_size) const;
  [[nodiscard]] collet_status_t host_function(collet_host_function_t function,
                                              void* user_data) const;
  [[nodiscard]] collet_status_t wait(const Event& event) const;

  /** Its failure, as the table tells it. */
  [[nodiscard]] collet_stream_failure_t failure() const;

  // Steps that must succeed; otherwise the case ends.
  void upload(const Memory& dst, const Bytes& bytes, std::uint64_t offset = 0) const;
  [[nodiscard]] Bytes download(const Memory& src, std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] Bytes download(const Memory& src) const { return download(src, 0, src.size()); }
  /** Enqueues `function(upstream)`. */
  void then(std::function<void(collet_status_t upstream)> function) const;
  void finish() const;
  void record(const Event& event) const;

  /** Gives the handle up, without destroying it. */
  [[nodiscard]] collet_plugin_stream_t* release() noexcept;

 private:
  Device* device_;
  collet_plugin_stream_t* handle_ = nullptr;
};

/** The flags of the two sorts of streams, for cases that hold for both. */
inline constexpr std::uint32_t kStreamSorts[] = {0, COLLET_STREAM_BACKGROUND};

}  // namespace collet::conformance
