// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <pthread.h>

#include <atomic>

#include "error.hpp"

namespace collet::loader {
namespace {

std::atomic<bool> process_used{false};
std::atomic<bool> process_forked{false};

void in_child() {
  if (process_used.load(std::memory_order_relaxed)) {
    process_forked.store(true, std::memory_order_relaxed);
  }
}

// Registered when the library is loaded: a fork in the middle of a first use must not find a
// half-made registration.
[[maybe_unused]] const int kRegistered = pthread_atfork(nullptr, nullptr, in_child);

}  // namespace

constinit thread_local bool inside_callback = false;

void watch_forks() noexcept { process_used.store(true, std::memory_order_relaxed); }

bool forked() noexcept { return process_forked.load(std::memory_order_relaxed); }

void require_entry() {
  if (forked()) {
    throw Error(COLLET_ERROR_FORKED, kForkedMessage);
  }
  if (inside_callback) {
    throw Error(COLLET_ERROR_REENTRANT,
                "Collet was called from inside a host function or a plugin; record the work on a "
                "stream instead");
  }
}

}  // namespace collet::loader
