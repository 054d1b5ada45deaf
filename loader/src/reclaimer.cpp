// SPDX-License-Identifier: Apache-2.0
#include "reclaimer.hpp"

#include <algorithm>

#include "error.hpp"
#include "objects.hpp"

namespace collet::loader {
namespace {

// Pending frees that one poll looks at. More than one release adds, so that a backlog shrinks.
constexpr std::size_t kPolled = 16;

}  // namespace

// Replaces the streams by events, where they are still at work. A stream that has failed runs
// nothing any more; one that gives no event stays, and is asked itself, although it may answer for
// later work too.
void Reclaimer::mark(Release& release) const noexcept {
  std::erase_if(release.streams, [&](const std::shared_ptr<StreamState>& stream) {
    if (device_.stream->query(stream->impl) != COLLET_NOT_READY) {
      return true;
    }
    collet_plugin_event_t* event = nullptr;
    if (device_.event->create(device_.impl, 0, &event) != COLLET_OK) {
      return false;
    }
    if (device_.event->record(event, stream->impl) != COLLET_OK) {
      device_.event->destroy(event);
      return false;
    }
    release.events.push_back(event);
    return true;
  });
}

bool Reclaimer::complete(const Release& release) const noexcept {
  return std::all_of(
             release.events.begin(), release.events.end(),
             [&](auto* event) { return device_.event->query(event) != COLLET_NOT_READY; }) &&
         std::all_of(release.streams.begin(), release.streams.end(), [&](const auto& stream) {
           return device_.stream->query(stream->impl) != COLLET_NOT_READY;
         });
}

void Reclaimer::wait_for(const Release& release) const noexcept {
  for (auto* event : release.events) {
    static_cast<void>(device_.event->synchronize(event, COLLET_TIMEOUT_INFINITE));
  }
  for (const auto& stream : release.streams) {
    static_cast<void>(device_.stream->synchronize(stream->impl, COLLET_TIMEOUT_INFINITE));
  }
}

void Reclaimer::finish(std::list<Release>& done) noexcept {
  if (done.empty()) {
    return;
  }
  for (const Release& release : done) {
    for (auto* event : release.events) {
      device_.event->destroy(event);
    }
    device_.memory->free(release.memory);
  }
  {
    const std::lock_guard lock(mutex_);
    freeing_ -= done.size();
  }
  idle_.notify_all();
  done.clear();
}

void Reclaimer::free(ReleaseNode node) noexcept {
  mark(node.front());
  if (node.front().events.empty() && node.front().streams.empty()) {
    device_.memory->free(node.front().memory);
  } else {
    const std::lock_guard lock(mutex_);
    pending_.splice(pending_.end(), node);
  }
  poll();
}

void Reclaimer::poll() noexcept {
  std::list<Release> done;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t left = std::min(kPolled, pending_.size()); left > 0; --left) {
      auto& target = complete(pending_.front()) ? done : pending_;
      target.splice(target.end(), pending_, pending_.begin());
    }
    freeing_ += done.size();
  }
  finish(done);
  // The failures of the streams are told to those who use them.
  drop_report();
}

void Reclaimer::wait() noexcept {
  std::list<Release> pending;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(pending_);
    freeing_ += pending.size();
  }
  while (!pending.empty()) {
    std::list<Release> done;
    done.splice(done.end(), pending, pending.begin());
    wait_for(done.front());
    finish(done);
  }
  drop_report();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return freeing_ == 0; });
}

}  // namespace collet::loader
