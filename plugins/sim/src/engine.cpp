// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <chrono>
#include <collet/sdk/thread.hpp>
#include <thread>
#include <utility>

#include "stream.hpp"

namespace collet::sim {

void Engine::start() {
  plugin::start_thread("collet-sim", [this] { run(); });
}

void Engine::make_ready(Ref<Stream> stream) noexcept {
  stream->note_ready(plugin::now_ns());
  {
    const std::lock_guard lock(mutex_);
    ready_.push(std::move(stream));
  }
  changed_.notify_one();
}

void Engine::choose_again() noexcept {
  // With the mutex, or the thread could be about to sleep.
  { const std::lock_guard lock(mutex_); }
  changed_.notify_one();
}

void Engine::run() noexcept {
  for (;;) serve(next());
}

Ref<Stream> Engine::next() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !ready_.empty(); });
    if (const std::int64_t delay_ns = schedule_.delay_ns(); delay_ns > 0) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::nanoseconds(delay_ns));
      lock.lock();
    }
    if (Ref<Stream> chosen = schedule_.choose(ready_)) return chosen;
    const std::chrono::nanoseconds until(schedule_.next_choice_ns(ready_));
    changed_.wait_until(lock, std::chrono::steady_clock::time_point(until));
  }
}

void Engine::serve(const Ref<Stream>& stream) noexcept {
  const Command* const command = stream->begin();
  // What the turn was given for may have been taken back since.
  if (command == nullptr) return;
  if (stream->is_held()) return;
  if (command->is_long() && pool_.execute(stream)) return;
  stream->execute();
}

}  // namespace collet::sim
