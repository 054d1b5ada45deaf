// SPDX-License-Identifier: Apache-2.0
#include "thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <collet/sdk/error.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace collet::cpu {
namespace {

/** Blocks all signals in the calling thread, for a new thread to inherit. */
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

void start_thread(std::function<void()> body) {
  const SignalsBlocked blocked;
  try {
    std::thread thread(std::move(body));
    pthread_setname_np(thread.native_handle(), "collet-cpu");
    thread.detach();
  } catch (const std::system_error& e) {
    throw plugin::Error(COLLET_ERROR_OUT_OF_HOST_MEMORY, e.code().value(), "errno",
                        std::string("cannot start a thread: ") + e.code().message() +
                            "; look at the limits of the process (ulimit -u) and of its container");
  }
}

unsigned usable_processors() noexcept {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof(usable), &usable) == 0) {
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&usable)));
  }
  // More processors than the set has room for.
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace collet::cpu
