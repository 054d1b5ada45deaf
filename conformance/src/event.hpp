// SPDX-License-Identifier: Apache-2.0
/** An event, destroyed with the object. */
#pragma once

#include <cstdint>

#include "check.hpp"
#include "device.hpp"

namespace collet::conformance {

class Event {
 public:
  /** A failure ends the case. */
  explicit Event(Device& device, std::uint32_t flags = 0);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  [[nodiscard]] collet_plugin_event_t* handle() const noexcept { return handle_; }

  // The table's functions as they are.
  [[nodiscard]] collet_status_t record(collet_plugin_stream_t* stream) const;
  [[nodiscard]] collet_status_t query() const;
  [[nodiscard]] collet_status_t synchronize(std::uint64_t timeout_ns = patience_ns()) const;
  /** Nanoseconds from this to `end`. */
  [[nodiscard]] collet_status_t elapsed(const Event& end, std::int64_t& out_ns) const;

  /** Destroys it now. */
  void destroy() noexcept;

 private:
  Device& device_;
  collet_plugin_event_t* handle_ = nullptr;
};

}  // namespace collet::conformance
