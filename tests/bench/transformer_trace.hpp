// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory_trace.hpp"

namespace collet::bench {

// What the training of a transformer allocates, whose batches have sequences of another length in
// each step. The same at every call.
MemoryTrace transformer_trace();

}  // namespace collet::bench
