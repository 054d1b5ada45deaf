// SPDX-License-Identifier: Apache-2.0
#include "plain_call.hpp"

namespace collet::bench {
namespace {

// The statement keeps the compiler from seeing that the call may be left out.
[[gnu::noinline]] void do_nothing() { asm volatile(""); }

}  // namespace

Batch plain_call() {
  return repeat([] { do_nothing(); });
}

}  // namespace collet::bench
