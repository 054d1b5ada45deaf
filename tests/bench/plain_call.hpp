// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.hpp"

namespace collet::bench {

// The reference of rows that measure what a command costs without its work: a call of a function
// that does nothing.
Batch plain_call();

}  // namespace collet::bench
