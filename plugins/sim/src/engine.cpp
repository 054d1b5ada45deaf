// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <collet/sdk/thread.hpp>
#include <utility>

#include "stream.hpp"

namespace collet::sim {

void Engine::start() {
  plugin::start_thread("collet-sim", [this] { run(); });
}

void Engine::make_ready(Ref<Stream> stream) noexcept {
  {
    const std::lock_guard lock(mutex_);
    ready_.push(std::move(stream));
  }
  changed_.notify_one();
}

void Engine::run() noexcept {
  for (;;) serve(next());
}

Ref<Stream> Engine::next() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  return ready_.pop();
}

void Engine::serve(const Ref<Stream>& stream) noexcept {
  const Command* const command = stream->begin();
  // What the turn was given for may have been taken back since.
  if (command == nullptr) return;
  if (stream->is_held()) return;
  if (command->is_foreign() && pool_.execute(stream)) return;
  stream->execute();
}

}  // namespace collet::sim
