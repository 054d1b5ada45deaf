// SPDX-License-Identifier: Apache-2.0
//
// Catch2, whichever of its two shapes is installed. Include this, never Catch2 itself.
#pragma once

#if COLLET_CATCH2_VERSION >= 3
#include <catch2/catch_all.hpp>

namespace collet::test {
using Catch::Approx;
}  // namespace collet::test
#else
#include <catch2/catch.hpp>

namespace collet::test {
using Catch::Detail::Approx;
}  // namespace collet::test
#endif

namespace collet::test {

// Ends the program as "skipped" for ctest, which runs each case in a process of its own.
// Catch2 2 has no notion of a skipped case, and version 3 has its own exit code for it.
[[noreturn]] void skip(const char* reason);

}  // namespace collet::test
