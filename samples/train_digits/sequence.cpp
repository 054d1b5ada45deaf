// SPDX-License-Identifier: Apache-2.0
#include "sequence.hpp"

#include <utility>

namespace digits {

namespace ops = collet::ops;
using collet::Operand;
using collet::TensorView;

TensorView Sequence::matrix(std::int64_t rows, std::int64_t columns) const {
  return TensorView::allocate(stream_, collet::type_of<float>(), {rows, columns},
                              {.tag = "activations"});
}

void Sequence::copy(const TensorView& out, const TensorView& in) {
  add(ops::plan_copy(stream_.device(), out, in), {out, in});
}

void Sequence::unary(collet_unary_t function, const TensorView& out, const TensorView& in) {
  add(ops::plan_unary(stream_.device(), function, out, in), {out, in});
}

void Sequence::binary(collet_binary_t function, const TensorView& out, const Operand& a,
                      const Operand& b) {
  add(ops::plan_binary(stream_.device(), function, out, a, b), {out, a, b});
}

void Sequence::sum(const TensorView& out, const TensorView& in) {
  add(ops::plan_reduce(stream_.device(), COLLET_REDUCTION_SUM, out, in, {.deterministic = true}),
      {out, in});
}

void Sequence::argmax(const TensorView& out, const TensorView& in, std::uint32_t axis) {
  add(ops::plan_reduce(stream_.device(), COLLET_REDUCTION_ARGMAX, out, in, {.axis = axis}),
      {out, in});
}

void Sequence::log_softmax(const TensorView& out, const TensorView& in, std::uint32_t axis) {
  add(ops::plan_softmax(stream_.device(), out, in, axis,
                        {.function = COLLET_SOFTMAX_LOG, .deterministic = true}),
      {out, in});
}

void Sequence::matmul(const TensorView& out, const TensorView& a, const TensorView& b,
                      ops::MatmulOptions options) {
  options.deterministic = true;
  const collet::Plan plan = ops::plan_matmul(stream_.device(), out, a, b, options);
  if (options.bias != nullptr) {
    add(plan, {out, a, b, *options.bias});
  } else {
    add(plan, {out, a, b});
  }
}

void Sequence::add(const collet::Plan& plan, std::initializer_list<Operand> operands) {
  Step step{plan, {}, {operands.begin(), operands.end()}};
  step.tensors.reserve(operands.size());
  for (Operand& operand : step.operands) {
    if (operand.tensor() == nullptr) continue;
    step.tensors.push_back(*operand.tensor());
    operand = step.tensors.back();
  }
  steps_.push_back(std::move(step));
}

void Sequence::run() const {
  for (const Step& step : steps_) step.plan.run(stream_, step.operands);
}

}  // namespace digits
