// SPDX-License-Identifier: Apache-2.0
/** Threads of a plugin. */
#pragma once

#include <pthread.h>
#include <collet/sdk/error.hpp>

#include <csignal>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace collet::plugin {

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

/**
 * Starts a thread that nobody joins: it may still run when the process ends.
 *
 * It takes no signals, so that the program's handlers run on the program's threads. Link the
 * plugin with `-z nodelete`, so that its code outlives a dlclose() of the host.
 *
 * @param name  What debuggers show; at most 15 characters.
 *
 * @return The thread; valid until `body` returns.
 *
 * @throws Error OUT_OF_HOST_MEMORY if the system gives no thread.
 */
inline pthread_t start_thread(const char* name, std::function<void()> body) {
  const SignalsBlocked blocked;
  try {
    std::thread thread(std::move(body));
    const pthread_t handle = thread.native_handle();
    pthread_setname_np(handle, name);
    thread.detach();
    return handle;
  } catch (const std::system_error& e) {
    throw Error(COLLET_ERROR_OUT_OF_HOST_MEMORY, e.code().value(), "errno",
                std::string("cannot start a thread: ") + e.code().message() +
                    "; look at the limits of the process (ulimit -u) and of its container");
  }
}

}  // namespace collet::plugin
