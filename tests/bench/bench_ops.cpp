// SPDX-License-Identifier: Apache-2.0
//
// Operations that are bound by memory, on 16 Mi f32 elements (64 MiB). GB/s count each byte of an
// operand once.
#include <cstring>

#include "areas.hpp"
#include "subject.hpp"

namespace collet::bench {
namespace {

constexpr std::int64_t kSide = 4096;
constexpr std::int64_t kElements = kSide * kSide;
constexpr double kOperandBytes = kElements * sizeof(float);

Batch triad(std::vector<float>& out, const std::vector<float>& a, const std::vector<float>& b) {
  return repeat([&out, &a, &b] {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + 3.0F * b[i];
  });
}

// `operands` of them are read or written.
Figures against_triad(const Batch& subject, int operands) {
  const std::vector<float> a(kElements, 1), b(kElements, 2);
  std::vector<float> out(kElements);
  return as_rate(take_turns(subject, triad(out, a, b)), operands * kOperandBytes,
                 3 * kOperandBytes);
}

Figures against_memcpy(const Batch& subject, int operands) {
  const std::vector<float> in(kElements, 1);
  std::vector<float> out(kElements);
  const Batch reference =
      repeat([&] { std::memcpy(out.data(), in.data(), kElements * sizeof(float)); });
  return as_rate(take_turns(subject, reference), operands * kOperandBytes, 2 * kOperandBytes);
}

Figures add() {
  const Stream stream(open_device("cpu"));
  const TensorView a = make_tensor(stream, {kElements}, 1);
  const TensorView b = make_tensor(stream, {kElements}, 2);
  const TensorView out = make_tensor(stream, {kElements}, 0);
  const BoundPlan plan(stream, ops::plan_binary(stream.device(), COLLET_BINARY_ADD, out, a, b),
                       {out, a, b});
  return against_triad(plan.batch(), 3);
}

Figures exp() {
  const Stream stream(open_device("cpu"));
  const TensorView in = make_tensor(stream, {kElements}, 0.5F);
  const TensorView out = make_tensor(stream, {kElements}, 0);
  const BoundPlan plan(stream, ops::plan_unary(stream.device(), COLLET_UNARY_EXP, out, in),
                       {out, in});
  return against_memcpy(plan.batch(), 2);
}

Figures sum() {
  const Stream stream(open_device("cpu"));
  const TensorView in = make_tensor(stream, {kElements}, 0.5F);
  const TensorView out = make_tensor(stream, {1}, 0);
  const BoundPlan plan(stream, ops::plan_reduce(stream.device(), COLLET_REDUCTION_SUM, out, in),
                       {out, in});
  return against_memcpy(plan.batch(), 1);
}

Figures softmax() {
  const Stream stream(open_device("cpu"));
  const TensorView in = make_tensor(stream, {kSide, kSide}, 0.5F);
  const TensorView out = make_tensor(stream, {kSide, kSide}, 0);
  const BoundPlan plan(stream, ops::plan_softmax(stream.device(), out, in, 1), {out, in});
  return against_memcpy(plan.batch(), 2);
}

}  // namespace

std::vector<Row> ops_rows() {
  return {{"ops/add/16M/cpu", "GB/s", "triad loop, one thread", add},
          {"ops/exp/16M/cpu", "GB/s", "memcpy, one thread", exp},
          {"ops/sum/16M/cpu", "GB/s", "memcpy, one thread", sum},
          {"ops/softmax/16M/cpu", "GB/s", "memcpy, one thread", softmax}};
}

}  // namespace collet::bench
