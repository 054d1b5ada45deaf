// SPDX-License-Identifier: Apache-2.0
#include "memory_trace.hpp"

#include <algorithm>

namespace collet::bench {

std::size_t MemoryTrace::allocate(std::uint64_t size_bytes) {
  const std::size_t buffer = sizes_.size();
  sizes_.push_back(size_bytes);
  events_.push_back({buffer, size_bytes});
  current_bytes_ += size_bytes;
  peak_bytes_ = std::max(peak_bytes_, current_bytes_);
  return buffer;
}

void MemoryTrace::release(std::size_t buffer) {
  events_.push_back({buffer, {}});
  current_bytes_ -= sizes_[buffer];
}

}  // namespace collet::bench
