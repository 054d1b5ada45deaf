// SPDX-License-Identifier: Apache-2.0
// Frees memory in the order of the streams that use it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "device.hpp"

namespace collet::loader {

struct StreamState;

// Memory, and what its free waits for. A buffer makes it with itself, so that its release needs no
// host memory and cannot fail.
struct Release {
  collet_plugin_memory_t* memory;
  // The streams that use the memory.
  std::vector<std::shared_ptr<StreamState>> streams;
  // Room for one event for each of them.
  std::vector<collet_plugin_event_t*> events;
};

// A list of one, which moves between lists as a node.
using ReleaseNode = std::list<Release>;

class Reclaimer {
 public:
  explicit Reclaimer(Device& device) : device_(device) {}

  // Frees the memory once the work that its streams have by now is complete. Never waits.
  void free(ReleaseNode node) noexcept;

  // Frees what has become free: a few of the pending ones in turn, so that a call costs the same
  // however many there are.
  void poll() noexcept;

  // Waits until everything that is pending is free.
  void wait() noexcept;

 private:
  void mark(Release& release) const noexcept;
  [[nodiscard]] bool complete(const Release& release) const noexcept;
  void wait_for(const Release& release) const noexcept;
  // Frees `done`, which is counted in `freeing_`.
  void finish(std::list<Release>& done) noexcept;

  Device& device_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::list<Release> pending_;
  // Memories that threads are freeing just now: without the lock, as drivers may take long.
  std::size_t freeing_ = 0;
};

}  // namespace collet::loader
