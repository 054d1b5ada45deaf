// SPDX-License-Identifier: Apache-2.0
/** Layouts: strides, gaps, empty sizes, and output that is not read. */
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "conformance.hpp"
#include "reference.hpp"

namespace collet::conformance {
namespace {

using Style = std::function<Tensor(const Tensor&)>;

/** How tensors may lie: an output's elements are apart and ascending. */
const std::vector<Style>& output_styles() {
  static const std::vector<Style> kStyles = {
      [](const Tensor& t) { return t; },
      [](const Tensor& t) { return t.transposed(); },
      [](const Tensor& t) { return t.with_gaps(2); },
      [](const Tensor& t) { return t.with_gaps(3); },
  };
  return kStyles;
}

const std::vector<Style>& input_styles() {
  static const std::vector<Style> kStyles = [] {
    std::vector<Style> all = output_styles();
    all.emplace_back([](const Tensor& t) { return t.reversed(); });
    all.emplace_back([](const Tensor& t) { return t.repeated(0); });
    all.emplace_back([](const Tensor& t) { return t.repeated(t.rank() - 1); });
    all.emplace_back([](const Tensor& t) { return t.with_gaps(2).reversed(); });
    return all;
  }();
  return kStyles;
}

Tensor integers(Tensor tensor, Random& random) {
  tensor.fill_integers(random, 5);
  tensor.poison_gaps();
  return tensor;
}

/** Operations with exact results, whose tensors lie as the styles say. */
std::vector<Operation> exact_operations(collet_type_t type, const Style& output, const Style& input,
                                        Random& random) {
  const Sizes sizes = {5, 3, 17};
  const auto in = [&](const Sizes& of) { return integers(input(Tensor(type, of)), random); };
  const auto out = [&](const Sizes& of) { return output(Tensor(type, of)); };
  std::vector<Operation> all;
  all.push_back(Operation(COLLET_OP_COPY).operand(out(sizes)).operand(in(sizes)));
  all.push_back(
      Operation(COLLET_OP_UNARY, COLLET_UNARY_NEGATE).operand(out(sizes)).operand(in(sizes)));
  all.push_back(
      Operation(COLLET_OP_UNARY, COLLET_UNARY_RELU).operand(out(sizes)).operand(in(sizes)));
  for (const std::uint32_t f : {COLLET_BINARY_ADD, COLLET_BINARY_MULTIPLY, COLLET_BINARY_MAXIMUM}) {
    all.push_back(
        Operation(COLLET_OP_BINARY, f).operand(out(sizes)).operand(in(sizes)).operand(in(sizes)));
    all.push_back(Operation(COLLET_OP_BINARY, f)
                      .operand(out(sizes))
                      .operand(in({5, 1, 17}))
                      .operand(in({1, 3, 1})));
  }
  for (const std::uint32_t f : {COLLET_REDUCTION_SUM, COLLET_REDUCTION_MAXIMUM}) {
    for (const Sizes& reduced : {Sizes{5, 3, 1}, Sizes{1, 3, 17}, Sizes{5, 1, 1}}) {
      all.push_back(Operation(COLLET_OP_REDUCE, f).operand(out(reduced)).operand(in(sizes)));
    }
  }
  if (type == COLLET_TYPE_F32) {
    all.push_back(Operation(COLLET_OP_MATMUL)
                      .operand(out({2, 7, 9}))
                      .operand(in({2, 7, 5}))
                      .operand(in({2, 5, 9})));
    all.push_back(Operation(COLLET_OP_MATMUL)
                      .operand(out({2, 33, 17}))
                      .operand(in({1, 33, 20}))
                      .operand(in({2, 20, 17})));
  }
  return all;
}

void expect_all(Operations& operations, const std::vector<Operation>& all) {
  for (const Operation& operation : all) {
    if (const auto out = operations.run(operation)) expect_result(operation, *out);
  }
}

Operation matmul(const Sizes& a, const Sizes& b, Random& random) {
  Tensor c(COLLET_TYPE_F32, {a[0], b[1]});
  Tensor left(COLLET_TYPE_F32, a);
  Tensor right(COLLET_TYPE_F32, b);
  for (Tensor* tensor : {&c, &left, &right}) tensor->fill_integers(random, 4);
  return Operation(COLLET_OP_MATMUL).operand(c).operand(left).operand(right);
}

}  // namespace

CONFORMANCE_CASE("PLUG-OPS-2 a run writes the elements of its output and no other byte",
                 clauses("PLUG-OPS-2"), needs(Capability::kOperations),
                 does("Runs operations into outputs with gaps and margins, in several types; "
                      "every byte is compared.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const collet_type_t type :
       {COLLET_TYPE_F32, COLLET_TYPE_I32, COLLET_TYPE_F16, COLLET_TYPE_I8, COLLET_TYPE_F64}) {
    for (const Style& style : output_styles()) {
      expect_all(operations, exact_operations(type, style, input_styles()[0], random));
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-OPS-3 strides of inputs are honoured: zero, negative, permuted, gaps",
                 clauses("PLUG-OPS-3"), needs(Capability::kOperations),
                 does("Runs operations on inputs that lie in all ways; NaN lies between their "
                      "elements.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const collet_type_t type : {COLLET_TYPE_F32, COLLET_TYPE_I32}) {
    for (const Style& style : input_styles()) {
      expect_all(operations, exact_operations(type, output_styles()[0], style, random));
      expect_all(operations, exact_operations(type, output_styles()[2], style, random));
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-OPS-3 every offset that the layout allows is honoured",
                 clauses("PLUG-OPS-3"), needs(Capability::kOperations),
                 does("Moves the tensors by one element at a time.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (std::int64_t margin = 0; margin < 18; ++margin) {
    const auto in = [&](const Sizes& sizes) {
      return integers(Tensor(COLLET_TYPE_F32, sizes, margin), random);
    };
    const Sizes sizes = {67};
    expect_all(operations, {Operation(COLLET_OP_BINARY, COLLET_BINARY_ADD)
                                .operand(Tensor(COLLET_TYPE_F32, sizes, 17 - margin))
                                .operand(in(sizes))
                                .operand(in(sizes)),
                            Operation(COLLET_OP_MATMUL)
                                .operand(Tensor(COLLET_TYPE_F32, {6, 5}, 17 - margin))
                                .operand(in({6, 7}))
                                .operand(in({7, 5}))});
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-OPS-4 operations without elements write nothing", clauses("PLUG-OPS-4"),
                 needs(Capability::kOperations),
                 does("Gives each axis the size 0 in turn, in every kind.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const Sizes& sizes : {Sizes{0, 3, 4}, Sizes{2, 0, 4}, Sizes{2, 3, 0}, Sizes{0, 0, 0}}) {
    const Tensor tensor(COLLET_TYPE_F32, sizes);
    expect_all(operations,
               {Operation(COLLET_OP_COPY).operand(tensor).operand(tensor),
                Operation(COLLET_OP_UNARY, COLLET_UNARY_EXP).operand(tensor).operand(tensor),
                Operation(COLLET_OP_BINARY, COLLET_BINARY_ADD)
                    .operand(tensor)
                    .operand(tensor)
                    .operand(tensor),
                Operation(COLLET_OP_SOFTMAX, COLLET_SOFTMAX_PLAIN)
                    .axis(1)
                    .operand(tensor)
                    .operand(tensor)});
  }
  for (const auto& [a, b] : std::vector<std::pair<Sizes, Sizes>>{
           {{0, 3}, {3, 4}}, {{2, 3}, {3, 0}}, {{0, 0}, {0, 0}}, {{0, 5}, {5, 0}}}) {
    expect_all(operations, {matmul(a, b, random)});
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-OPS-4 a reduction of nothing is 0, 1 or NaN, a product of nothing beta C",
                 clauses("PLUG-OPS-4"), needs(Capability::kOperations),
                 does("Reduces axes of size 0, and multiplies matrices with an inner size of 0, "
                      "with and without beta and bias.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const std::uint32_t f :
       {COLLET_REDUCTION_SUM, COLLET_REDUCTION_PRODUCT, COLLET_REDUCTION_MEAN}) {
    expect_all(operations, {Operation(COLLET_OP_REDUCE, f)
                                .operand(Tensor(COLLET_TYPE_F32, {3, 1}))
                                .operand(Tensor(COLLET_TYPE_F32, {3, 0}))});
  }
  for (const double beta : {0.0, 1.0, 2.0}) {
    expect_all(operations, {matmul({3, 0}, {0, 4}, random).scale(1, beta)});
    Operation with_bias = matmul({3, 0}, {0, 4}, random);
    Tensor bias(COLLET_TYPE_F32, {1, 4});
    bias.fill_integers(random, 4);
    with_bias.scale(1, beta).flags(COLLET_OP_HAS_BIAS).operand(bias);
    expect_all(operations, {with_bias});
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-OPS-5 with beta 0 the output is not read", clauses("PLUG-OPS-5"),
                 needs(Capability::kOperations),
                 does("Multiplies matrices of many sizes into an output full of NaN; and with "
                      "beta 1 and 3 into one of integers.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const std::int64_t size : {1, 2, 7, 16, 33, 64, 130}) {
    Operation fresh = matmul({size, size + 3}, {size + 3, size + 1}, random);
    fresh.tensor(0).fill(std::numeric_limits<Number>::quiet_NaN());
    expect_all(operations, {fresh});
    for (const double beta : {1.0, 3.0}) {
      expect_all(operations,
                 {matmul({size, size + 3}, {size + 3, size + 1}, random).scale(2, beta)});
    }
  }
  operations.expect_any();
}

}  // namespace collet::conformance
