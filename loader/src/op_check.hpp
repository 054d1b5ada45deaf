// SPDX-License-Identifier: Apache-2.0
// The rules of collet/ops.h on descriptions of operations, checked once, for every plugin.
#pragma once

#include <collet/ops.h>

#include <array>
#include <cstdint>

namespace collet::loader {

// Bytes that an operand touches, around the offset that it is bound to.
struct OperandExtent {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  // Offsets are multiples of it; at least 1.
  std::uint64_t alignment_bytes = 1;
  bool immediate = false;
};

using OperandExtents = std::array<OperandExtent, COLLET_MAX_OPERANDS>;

// Throws INVALID_ARGUMENT or OVERFLOW where the description contradicts itself.
OperandExtents check_op(const collet_op_desc_t& desc);

}  // namespace collet::loader
