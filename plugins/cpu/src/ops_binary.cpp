// SPDX-License-Identifier: Apache-2.0

#include "ops_elementwise.hpp"

namespace collet::cpu {

std::unique_ptr<const Plan> make_binary_plan(const collet_op_desc_t& desc) {
  const std::span<const collet_layout_t> operands(desc.operands, desc.operand_count);
  const collet_type_t out = operands[0].type;
  const collet_type_t type = operands[1].type;
  if (operands[2].type != type) {
    refuse(joined("binary functions want inputs of one type: ", type_name(type), " and ",
                  type_name(operands[2].type), " need a COPY before"));
  }
  const bool compares =
      desc.function >= COLLET_BINARY_EQUAL && desc.function <= COLLET_BINARY_GREATER_EQUAL;
  if (out != type && !(compares && out == COLLET_TYPE_BOOL)) {
    refuse(joined("binary function ", desc.function, " of ", type_name(type), " cannot give ",
                  type_name(out)));
  }
  const Compute compute = compute_of(type);
  const Kernels::Binary function =
      desc.function < kBinaryCount ? kernels().binary[compute][desc.function] : nullptr;
  if (function == nullptr) refuse(joined("there is no binary function ", desc.function));
  return make_elementwise_plan(operands, {compute, nullptr, function});
}

}  // namespace collet::cpu
