// SPDX-License-Identifier: Apache-2.0
//
// Loops whose instructions are counted: each calls one function `calls` times and returns the
// statuses, or-ed. The functions named library_x go through libcollet, those named pointer_x call
// the plugin's function in its table. They are extern "C" so that callgrind knows them by name.
#pragma once

#include <collet/base.h>

#include <cstdint>
#include <string>

namespace collet::bench {

// Arguments of the calls, the same on both ways.
inline constexpr std::uint64_t kBufferBytes = 4096;
inline constexpr std::uint64_t kOffsetBytes = 64;
inline constexpr std::uint64_t kSizeBytes = 4;
inline constexpr std::uint32_t kPattern = 0x01020304;

template <class Call>
[[gnu::always_inline]] inline std::int32_t repeat_call(std::uint64_t calls, Call call) {
  std::int32_t statuses = COLLET_OK;
  for (; calls > 0; --calls) statuses |= call();
  return statuses;
}

// Calls each batch of its way once; the result is COLLET_OK if all calls are. Throws
// std::runtime_error if the device of libcollet_fake.so in `folder` cannot be set up.
std::int32_t run_library_batches(const std::string& folder, std::uint64_t calls);
std::int32_t run_pointer_batches(const std::string& folder, std::uint64_t calls);

}  // namespace collet::bench
