// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory_trace.hpp"

namespace collet::bench {

// What samples/train_digits allocates with its usual options, in its order.
MemoryTrace digits_trace();

}  // namespace collet::bench
