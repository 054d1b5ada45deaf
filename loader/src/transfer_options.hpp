// SPDX-License-Identifier: Apache-2.0
// What a copy from or to host memory is asked for, and what its memory allows of that.
#pragma once

#include <collet/stream.h>

#include <cstdint>

#include "device.hpp"

namespace collet::loader {

struct TransferOptions {
  // NON_BLOCKING where the plugin may read or write the host memory later.
  std::uint32_t flags = 0;
  std::uint64_t timeout_ns = COLLET_TIMEOUT_INFINITE;
  // Asked not to block, from or to pageable memory.
  bool is_hasty = false;
};

// Throws where the descriptor, which may be NULL, is at fault.
[[nodiscard]] TransferOptions read_transfer_options(const Device& device, const void* host,
                                                    std::uint64_t size_bytes,
                                                    const collet_transfer_desc_t* desc);

}  // namespace collet::loader
