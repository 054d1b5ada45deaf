// SPDX-License-Identifier: Apache-2.0
#include "executor.hpp"

#include <collet/sdk/host.hpp>
#include <collet/sdk/thread.hpp>

namespace collet::cpu {
namespace {

/** How long a caller spins for its helpers: most parts end within it. */
constexpr std::int64_t kHelpersSpinNs = 2'000'000;

}  // namespace

constinit thread_local bool Executor::in_part = false;

void Executor::run(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (!started_) start_workers();
    if (work_.has_sleepers()) callers_processor_.keep_off(workers_);
    jobs_.push_back(&job);
    open_.store(jobs_.size());
    active_.fetch_add(1);
  }
  work_.notify(static_cast<int>(std::min<std::uint64_t>(job.parts, threads_) - 1));

  work_on(job, [] { return true; });
  {
    const std::lock_guard lock(mutex_);
    close(job);
    leave();
  }
  // Helpers are busy with their last part. Whoever sleeps now may wake up on a helper's processor.
  helped_.wait([&] { return job.helpers.load() == 0; }, plugin::Deadline::never(), kHelpersSpinNs);
  if (job.failure) std::rethrow_exception(job.failure);
}

template <class GoOn>
void Executor::work_on(Job& job, GoOn&& go_on) noexcept {
  in_part = true;
  while (go_on()) {
    const std::uint64_t part = job.next.fetch_add(1, std::memory_order_relaxed);
    if (part >= job.parts) break;
    try {
      job.call(job.body, part);
    } catch (...) {
      if (!job.failed.exchange(true)) job.failure = std::current_exception();
      job.next.store(job.parts);
    }
  }
  in_part = false;
}

void Executor::worker() noexcept {
  for (;;) {
    work_.wait([this] { return open_.load() > 0 && active_.load() < threads_; },
               plugin::Deadline::never());
    Job* const job = join();
    if (job == nullptr) continue;
    // A caller that came after the worker has the better right to a place in the budget.
    work_on(*job, [this] { return active_.load() <= threads_; });
    {
      const std::lock_guard lock(mutex_);
      if (job->next.load() >= job->parts) close(*job);
      leave();
    }
    // From here on the caller may return, and the job with it.
    job->helpers.fetch_sub(1);
    helped_.notify();
  }
}

Executor::Job* Executor::join() noexcept {
  const std::lock_guard lock(mutex_);
  if (jobs_.empty() || active_.load() >= threads_) return nullptr;
  Job* const job = jobs_.front();
  job->helpers.fetch_add(1);
  active_.fetch_add(1);
  return job;
}

void Executor::close(Job& job) noexcept {
  const auto place = std::find(jobs_.begin(), jobs_.end(), &job);
  if (place == jobs_.end()) return;
  jobs_.erase(place);
  open_.store(jobs_.size());
}

void Executor::leave() noexcept {
  active_.fetch_sub(1);
  if (!jobs_.empty()) work_.notify(1);
}

void Executor::start_workers() noexcept {
  started_ = true;
  try {
    for (unsigned i = 1; i < threads_; ++i)
      workers_.push_back(plugin::start_thread("collet-cpu", [this] { worker(); }));
  } catch (const std::exception& e) {
    // Work still gets done, by its callers and the workers that did start.
    plugin::host().log(COLLET_LOG_WARN, e.what());
  }
  callers_processor_.keep_off(workers_);
}

}  // namespace collet::cpu
