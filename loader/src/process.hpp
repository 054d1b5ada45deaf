// SPDX-License-Identifier: Apache-2.0
// Facts about the process and the thread that decide whether Collet may be entered.
#pragma once

namespace collet::loader {

inline constexpr const char* kForkedMessage =
    "this process was forked after Collet was first used, and drivers do not survive a fork; "
    "fork before the first use, or start the child by exec";

// Notes that the process is used; children that are forked from now on are refused.
void watch_forks() noexcept;

// True in a child that was forked after watch_forks().
[[nodiscard]] bool forked() noexcept;

// True while the thread runs a host function or a call into a plugin that may not come back.
// Constant-initialised and of the initial-exec model: enqueues read it with two instructions. What
// a library has thread-local must be small for that model: it comes out of the C library's reserve
// if Collet is loaded by dlopen().
extern constinit thread_local bool inside_callback [[gnu::tls_model("initial-exec")]];

// Sets `inside_callback` for a scope.
class CallbackScope {
 public:
  CallbackScope() noexcept : outer_(inside_callback) { inside_callback = true; }
  ~CallbackScope() { inside_callback = outer_; }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  bool outer_;
};

// Throws FORKED or REENTRANT where Collet may not be entered. For calls off the hot path.
void require_entry();

}  // namespace collet::loader
