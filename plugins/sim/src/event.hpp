// SPDX-License-Identifier: Apache-2.0
/** Events: the latest of their records. */
#pragma once

#include <collet/plugin/event.h>

#include <collet/sdk/ref.hpp>
#include <cstdint>

#include "stream.hpp"

namespace collet::sim {

class Event {
 public:
  using Handle = collet_plugin_event_t;

  explicit Event(std::uint32_t flags) noexcept : has_time_((flags & COLLET_EVENT_TIMING) != 0) {}

  void record(Stream& stream) { latest_.set(stream.record()); }
  /** The record to wait for; none before the first. Takes no lock. */
  [[nodiscard]] Ref<Record> latest() const noexcept { return latest_.get(); }
  [[nodiscard]] bool has_time() const noexcept { return has_time_; }

 private:
  const bool has_time_;
  plugin::RefSlot<Record> latest_;
};

/** The table of COLLET_INTERFACE_EVENT_V1. */
[[nodiscard]] const collet_plugin_event_interface_t* event_interface() noexcept;

}  // namespace collet::sim
