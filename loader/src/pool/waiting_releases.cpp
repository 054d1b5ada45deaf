// SPDX-License-Identifier: Apache-2.0
#include "pool/waiting_releases.hpp"

#include <algorithm>

#include "error.hpp"
#include "objects.hpp"
#include "pool/memory_pool.hpp"

namespace collet::loader {

Deadline deadline_after(std::uint64_t timeout_ns) noexcept {
  // Beyond a century there is none.
  constexpr std::uint64_t kLongest = std::uint64_t{100} * 365 * 24 * 3600 * 1'000'000'000;
  if (timeout_ns >= kLongest) {
    return Deadline::max();
  }
  return timeout_ns == 0 ? kNow
                         : std::chrono::steady_clock::now() +
                               std::chrono::nanoseconds(static_cast<std::int64_t>(timeout_ns));
}

std::uint64_t nanoseconds_until(const Deadline& deadline) noexcept {
  if (deadline == Deadline::max()) {
    return COLLET_TIMEOUT_INFINITE;
  }
  const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
  return left.count() < 0 ? 0 : static_cast<std::uint64_t>(left.count());
}

void UsedBlock::add(std::shared_ptr<StreamState> stream) {
  if (!is_by(*stream)) {
    uses_.push_back(std::make_unique<StreamUse>(std::move(stream)));
    uses_.back()->owner = this;
  }
}

bool UsedBlock::is_by(const StreamState& stream) const noexcept {
  return std::any_of(uses_.begin(), uses_.end(),
                     [&](const auto& use) { return use->stream.get() == &stream; });
}

std::vector<collet_plugin_stream_t*> UsedBlock::streams() const {
  std::vector<collet_plugin_stream_t*> result;
  for (const auto& use : uses_) {
    result.push_back(use->stream->impl);
  }
  return result;
}

// A stream that has failed runs nothing any more. One that gives no event is asked itself, although
// it may answer for later work too.
bool WaitingReleases::is_complete(const StreamUse& use) const noexcept {
  const collet_status_t status = use.event != nullptr ? device_.event->query(use.event)
                                                      : device_.stream->query(use.stream->impl);
  return status != COLLET_NOT_READY;
}

bool WaitingReleases::is_settled(std::unique_ptr<UsedBlock>& used, Block& block) noexcept {
  std::erase_if(used->uses_, [&](const std::unique_ptr<StreamUse>& use) {
    return device_.stream->query(use->stream->impl) != COLLET_NOT_READY;
  });
  drop_report();
  if (used->uses_.empty()) {
    return true;
  }
  used->block_ = &block;
  used->left_ = used->uses_.size();
  {
    // With the mutex, so that the events of a queue are in the order of their stream.
    const std::lock_guard lock(mutex_);
    for (const auto& use : used->uses_) {
      if (device_.event->create(device_.impl, 0, &use->event) == COLLET_OK &&
          device_.event->record(use->event, use->stream->impl) != COLLET_OK) {
        device_.event->destroy(std::exchange(use->event, nullptr));
      }
      push_back(*use);
    }
    static_cast<void>(used.release());
  }
  drop_report();
  return false;
}

void WaitingReleases::push_back(StreamUse& use) noexcept {
  UseQueue& queue = use.stream->waiting;
  if (queue.uses.empty()) {
    queues_.push_back(queue);
  }
  queue.uses.push_back(use);
}

void WaitingReleases::pop(StreamUse& use) noexcept {
  UseQueue& queue = use.stream->waiting;
  queue.uses.erase(queue.uses.iterator_to(use));
  if (queue.uses.empty()) {
    queues_.erase(queues_.iterator_to(queue));
  }
}

void WaitingReleases::finish(StreamUse& use, Blocks& done) noexcept {
  if (use.event != nullptr) {
    device_.event->destroy(use.event);
  }
  if (--use.owner->left_ == 0) {
    done.push_back(*use.owner);
  }
}

void WaitingReleases::give_back(Blocks& done) noexcept {
  done.clear_and_dispose([](UsedBlock* used) {
    const std::unique_ptr<UsedBlock> owned(used);
    used->block_->segment->arena->pool.take_back(*used->block_);
  });
}

void WaitingReleases::poll(std::size_t most_streams) noexcept {
  Blocks done;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t left = std::min(most_streams, queues_.size()); left > 0; --left) {
      UseQueue& queue = queues_.front();
      queues_.splice(queues_.end(), queues_, queues_.begin());
      while (!queue.uses.empty() && is_complete(queue.uses.front())) {
        StreamUse& use = queue.uses.front();
        pop(use);
        finish(use, done);
      }
    }
    busy_ += done.empty() ? 0 : 1;
  }
  // The failures of the streams are told to those who use them.
  drop_report();
  if (!done.empty()) {
    give_back(done);
    const std::lock_guard lock(mutex_);
    --busy_;
    changed_.notify_all();
  }
}

bool WaitingReleases::wait_for_one(const Deadline& deadline) noexcept {
  std::unique_lock lock(mutex_);
  if (queues_.empty()) {
    // Another thread waits for what is left, or is giving it back.
    return busy_ != 0 && changed_.wait_until(lock, deadline) == std::cv_status::no_timeout;
  }
  StreamUse& use = queues_.front().uses.front();
  pop(use);
  ++busy_;
  lock.unlock();
  const std::uint64_t timeout_ns = nanoseconds_until(deadline);
  const collet_status_t status = use.event != nullptr
                                     ? device_.event->synchronize(use.event, timeout_ns)
                                     : device_.stream->synchronize(use.stream->impl, timeout_ns);
  // Any other failure is the stream's, or it says nothing.
  const bool has_ended =
      status == COLLET_OK || (status != COLLET_ERROR_TIMEOUT && is_complete(use));
  drop_report();
  Blocks done;
  lock.lock();
  if (has_ended) {
    finish(use, done);
  } else {
    UseQueue& queue = use.stream->waiting;
    if (queue.uses.empty()) {
      queues_.push_back(queue);
    }
    queue.uses.push_front(use);
  }
  lock.unlock();
  give_back(done);
  lock.lock();
  --busy_;
  changed_.notify_all();
  return has_ended;
}

}  // namespace collet::loader
