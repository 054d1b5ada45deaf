// SPDX-License-Identifier: Apache-2.0

#include "ops_elementwise.hpp"

namespace collet::cpu {

std::unique_ptr<const Plan> make_unary_plan(const collet_op_desc_t& desc) {
  const std::span<const collet_layout_t> operands(desc.operands, desc.operand_count);
  const collet_type_t type = operands[0].type;
  if (operands[1].type != type) {
    refuse(joined("unary functions keep the type: ", type_name(operands[1].type), " to ",
                  type_name(type), " needs a COPY before or after"));
  }
  const Compute compute = compute_of(type);
  const Kernels::Unary function =
      desc.function < kUnaryCount ? kernels().unary[compute][desc.function] : nullptr;
  if (function == nullptr) {
    refuse(joined("unary function ", desc.function, " of ", type_name(type),
                  ": integers have negate, abs, square and relu"));
  }
  return make_elementwise_plan(operands, {compute, function});
}

}  // namespace collet::cpu
