// SPDX-License-Identifier: Apache-2.0
// Gives plugin objects back when that is allowed: memory in the order of its streams, and nothing
// from inside a host function.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "device.hpp"

namespace collet::loader {

struct StreamState;
using StreamList = std::vector<std::shared_ptr<StreamState>>;

class Reclaimer {
 public:
  explicit Reclaimer(Device& device) : device_(device) {}

  // Frees memory once the work that its streams have by now is complete. Never waits.
  void free(collet_plugin_memory_t* memory, const StreamList& streams) noexcept;

  // Runs `action` at once, or, from inside a host function, at a later poll().
  void run(std::function<void()> action) noexcept;

  // Gives back what has become free.
  void poll() noexcept;

  // Waits for all pending frees; returns how many there were.
  std::size_t wait() noexcept;

 private:
  struct Pending {
    collet_plugin_memory_t* memory;
    std::vector<collet_plugin_event_t*> events;
  };

  [[nodiscard]] std::vector<collet_plugin_event_t*> mark(const StreamList& streams) const;
  [[nodiscard]] bool complete(const Pending& pending, std::uint64_t timeout_ns) const noexcept;
  void finish(const Pending& pending) const noexcept;

  Device& device_;
  std::mutex mutex_;
  std::vector<Pending> pending_;
  std::vector<std::function<void()>> postponed_;
};

}  // namespace collet::loader
