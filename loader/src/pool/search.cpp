// SPDX-License-Identifier: Apache-2.0
#include "pool/search.hpp"

#include "pool/device_memory.hpp"
#include "pool/out_of_memory.hpp"
#include "sync_report.hpp"

namespace collet::loader {
namespace {

// What is smaller is cheaper to have than to borrow: borrowed blocks are reused by their owner
// only.
constexpr std::uint64_t kLeastBorrowedBytes = std::uint64_t{1} << 20;

// One thread at a time. A timed mutex would do, but the thread sanitizer does not know it.
class Turn {
 public:
  Turn(Pressure& pressure, const Deadline& deadline) : pressure_(pressure) {
    std::unique_lock lock(pressure_.mutex);
    const auto is_free = [&] { return !pressure_.is_taken; };
    if (deadline == Deadline::max()) {
      pressure_.changed.wait(lock, is_free);
      has_come_ = true;
    } else {
      has_come_ = pressure_.changed.wait_until(lock, deadline, is_free);
    }
    pressure_.is_taken = pressure_.is_taken || has_come_;
  }
  ~Turn() {
    if (has_come_) {
      const std::lock_guard lock(pressure_.mutex);
      pressure_.is_taken = false;
      pressure_.changed.notify_one();
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool has_come() const noexcept { return has_come_; }

 private:
  Pressure& pressure_;
  bool has_come_ = false;
};

}  // namespace

bool Search::own() {
  const std::lock_guard lock(home_.mutex);
  Block* block = home_.take(fit_, request_.tag);
  if (block != nullptr) {
    found_ = {&home_, block};
  }
  return block != nullptr;
}

bool Search::grow() {
  Block* block = pool_.grow(home_, fit_, request_.tag, refusal_);
  if (block != nullptr) {
    found_ = {&home_, block};
  }
  return block != nullptr;
}

bool Search::adopt() {
  for (Arena* arena : pool_.others(&home_)) {
    Segment* segment = nullptr;
    {
      const std::lock_guard lock(arena->mutex);
      segment = arena->find_unused(fit_.size_bytes);
      if (segment == nullptr) {
        continue;
      }
      // Out of reach for the stream from now on, so that its work up to now is all there is.
      arena->remove(*segment);
    }
    const bool is_free = is_at_rest(*arena, kNow);
    Arena& to = is_free ? home_ : *arena;
    {
      const std::lock_guard lock(to.mutex);
      to.add(*segment);
    }
    if (is_free && own()) {
      return true;
    }
  }
  return false;
}

bool Search::is_ordered_after(Arena& arena, From from) const {
  if (is_at_rest(arena, kNow)) {
    return true;
  }
  if (from == From::kResting) {
    return false;
  }
  std::shared_ptr<StreamState> stream;
  std::shared_ptr<const StreamMark> mark;
  {
    const std::lock_guard lock(arena.mutex);
    stream = arena.stream.lock();
    mark = arena.last_work;
  }
  try {
    if (stream != nullptr) {
      mark = std::make_shared<StreamMark>(*stream);
    }
    return mark != nullptr && mark->hold(*on_.state);
  } catch (const Error&) {
    return false;
  }
}

bool Search::borrow(From from) {
  for (Arena* arena : pool_.others(&home_)) {
    Block* block = nullptr;
    {
      const std::lock_guard lock(arena->mutex);
      block = arena->take(fit_, request_.tag);
    }
    if (block == nullptr) {
      continue;
    }
    if (is_ordered_after(*arena, from)) {
      found_ = {arena, block};
      return true;
    }
    const std::lock_guard lock(arena->mutex);
    arena->put(*block);
  }
  return false;
}

bool Search::easily() {
  WaitingReleases& waiting = pool_.owner_.waiting();
  if (own()) {
    return true;
  }
  waiting.poll();
  return own() || adopt() || (fit_.size_bytes >= kLeastBorrowedBytes && borrow(From::kResting));
}

bool Search::under_pressure() {
  const Turn turn(pool_.pressure_, request_.deadline);
  if (!turn.has_come()) {
    return false;
  }
  WaitingReleases& waiting = pool_.owner_.waiting();
  // What was released inside host functions.
  loader::pool<Buffer>().destroy_postponed();
  waiting.poll_all();
  do {
    if (own() || adopt() || borrow(From::kResting)) {
      return true;
    }
    if (pool_.owner_.trim(kNow) != 0 && grow()) {
      return true;
    }
    if (borrow(From::kBusy)) {
      return true;
    }
  } while (waiting.wait_for_one(request_.deadline));
  pool_.owner_.trim(request_.deadline);
  return own() || grow();
}

MemoryPool::Place Search::run() {
  if (pool_.settings_.pool == PoolMode::kOn) {
    if (easily()) {
      return found_;
    }
    // What is reserved and cannot serve this buffer is rather given back than added to.
    if (pool_.raises_peak(fit_)) {
      pool_.trim(kNow);
    }
  }
  if (grow()) {
    return found_;
  }
  report_wait("an allocation", "waits for released memory that streams still use");
  pool_.note_retry();
  if (under_pressure()) {
    return found_;
  }
  pool_.note_out_of_memory(on_, fit_, request_);
  throw out_of_memory(pool_, on_, fit_, request_, refusal_);
}

}  // namespace collet::loader
