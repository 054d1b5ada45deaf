// SPDX-License-Identifier: Apache-2.0
// Who calls: addresses of code, as people know them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace collet::loader {

// What is known of the call that returns to an address.
struct CallSite {
  // The file that the code is from; empty where it is none's.
  std::string module;
  // In that file, or the address itself.
  std::uint64_t offset = 0;
  // Empty where the file does not tell.
  std::string function;
};

CallSite call_site_of(const void* return_address);

// The file of the program; empty where it cannot be found out.
std::string program_path();

// Whether the code is this library's.
bool is_own_code(const void* address) noexcept;

// The calls of a stack, the innermost first, from the one on that has called this library.
std::span<void* const> outer_calls(std::span<void* const> stack) noexcept;

// "train (trainer+0x4f2)"
std::string call_text(const void* return_address);

// The innermost call of the thread's stack that is not of this library.
std::string caller_text();

}  // namespace collet::loader
