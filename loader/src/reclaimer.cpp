// SPDX-License-Identifier: Apache-2.0
#include "reclaimer.hpp"

#include <algorithm>
#include <utility>

#include "objects.hpp"
#include "process.hpp"

namespace collet::loader {

// Events for the streams that are still at work. A failed stream runs nothing any more.
std::vector<collet_plugin_event_t*> Reclaimer::mark(const StreamList& streams) const {
  std::vector<collet_plugin_event_t*> events;
  events.reserve(streams.size());
  for (const auto& stream : streams) {
    if (device_.stream->query(stream->impl) != COLLET_NOT_READY) {
      continue;
    }
    collet_plugin_event_t* event = nullptr;
    if (device_.event->create(device_.impl, 0, &event) != COLLET_OK) {
      // Without an event the order can only be kept by waiting.
      static_cast<void>(device_.stream->synchronize(stream->impl, COLLET_TIMEOUT_INFINITE));
    } else if (device_.event->record(event, stream->impl) != COLLET_OK) {
      device_.event->destroy(event);
    } else {
      events.push_back(event);
    }
  }
  return events;
}

bool Reclaimer::complete(const Pending& pending, std::uint64_t timeout_ns) const noexcept {
  return std::all_of(pending.events.begin(), pending.events.end(), [&](auto* event) {
    const collet_status_t status = timeout_ns == 0 ? device_.event->query(event)
                                                   : device_.event->synchronize(event, timeout_ns);
    return status != COLLET_NOT_READY && status != COLLET_ERROR_TIMEOUT;
  });
}

void Reclaimer::finish(const Pending& pending) const noexcept {
  for (auto* event : pending.events) {
    device_.event->destroy(event);
  }
  device_.memory->free(pending.memory);
}

void Reclaimer::free(collet_plugin_memory_t* memory, const StreamList& streams) noexcept {
  if (inside_callback) {
    run([this, memory, streams] { free(memory, streams); });
    return;
  }
  try {
    Pending pending{memory, mark(streams)};
    if (pending.events.empty()) {
      finish(pending);
    } else {
      const std::lock_guard lock(mutex_);
      pending_.push_back(std::move(pending));
    }
  } catch (...) {
    // Out of host memory: the order can only be kept by waiting.
    for (const auto& stream : streams) {
      static_cast<void>(device_.stream->synchronize(stream->impl, COLLET_TIMEOUT_INFINITE));
    }
    device_.memory->free(memory);
  }
  poll();
}

void Reclaimer::run(std::function<void()> action) noexcept {
  if (!inside_callback) {
    action();
    return;
  }
  const std::lock_guard lock(mutex_);
  try {
    postponed_.push_back(std::move(action));
  } catch (...) {
    // Out of host memory inside a host function: the object is leaked, since no plugin may be
    // entered from here.
    return;
  }
}

void Reclaimer::poll() noexcept {
  std::vector<std::function<void()>> postponed;
  {
    const std::lock_guard lock(mutex_);
    postponed.swap(postponed_);
    std::erase_if(pending_, [&](Pending& entry) {
      const bool done = complete(entry, 0);
      if (done) {
        finish(entry);
      }
      return done;
    });
  }
  for (const auto& action : postponed) {
    action();
  }
}

std::size_t Reclaimer::wait() noexcept {
  poll();
  std::vector<Pending> pending;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(pending_);
  }
  for (auto& entry : pending) {
    static_cast<void>(complete(entry, COLLET_TIMEOUT_INFINITE));
    finish(entry);
  }
  return pending.size();
}

}  // namespace collet::loader
