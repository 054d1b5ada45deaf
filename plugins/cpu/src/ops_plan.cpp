// SPDX-License-Identifier: Apache-2.0
#include "ops_plan.hpp"

#include <collet/sdk/error.hpp>

#include "ops_types.hpp"

namespace collet::cpu {
namespace {

/** Which operands of a kind may be immediate. */
bool may_be_immediate(const collet_op_desc_t& desc, std::uint32_t operand) {
  switch (desc.kind) {
    case COLLET_OP_FILL:
    case COLLET_OP_COPY:
    case COLLET_OP_BINARY:
      return operand != 0;
    case COLLET_OP_MATMUL:
      return operand == 3;
    default:
      return false;
  }
}

void check_operands(const collet_op_desc_t& desc) {
  for (std::uint32_t i = 0; i < desc.operand_count; ++i) {
    const collet_layout_t& layout = desc.operands[i];
    if (type_size(layout.type) == 0) {
      refuse(joined("operand ", i, " has an element type that no operation takes"));
    }
    if (layout.packed != 0) {
      refuse(joined("operand ", i, " is packed, and this device has no packed layouts"));
    }
    if (layout.immediate != 0 && !may_be_immediate(desc, i)) {
      refuse(joined("operand ", i, " is immediate, and has to be in memory"));
    }
  }
}

}  // namespace

void refuse(const std::string& why) { throw plugin::Error(COLLET_ERROR_UNSUPPORTED, why); }

std::unique_ptr<const Plan> make_plan(const collet_op_desc_t& desc, unsigned threads) {
  check_operands(desc);
  switch (desc.kind) {
    case COLLET_OP_FILL:
    case COLLET_OP_COPY:
      return make_copy_plan(desc.operands[0], desc.operands[1]);
    case COLLET_OP_UNARY:
      return make_unary_plan(desc);
    case COLLET_OP_BINARY:
      return make_binary_plan(desc);
    case COLLET_OP_REDUCE:
      return make_reduce_plan(desc);
    case COLLET_OP_SOFTMAX:
      return make_softmax_plan(desc);
    case COLLET_OP_MATMUL:
      return make_matmul_plan(desc, threads);
    default:
      refuse(joined("there is no operation ", static_cast<int>(desc.kind)));
  }
}

}  // namespace collet::cpu
