// SPDX-License-Identifier: Apache-2.0
// What is said when memory has run out.
#pragma once

#include "pool/memory_pool.hpp"

namespace collet::loader {

// What was asked, what stopped it, where the memory is, and what to do. All pools are as before.
Error out_of_memory(MemoryPool& pool, const Stream& on, const Fit& fit,
                    const BufferRequest& request, const Refusal& refusal);

// The same for a buffer that no pool could serve: it is greater than one allocation may be.
Error larger_than_allocation(const Stream& on, collet_memory_kind_t kind,
                             const BufferRequest& request);

}  // namespace collet::loader
