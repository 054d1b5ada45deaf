// SPDX-License-Identifier: Apache-2.0
/** Results of operations: NaN, accumulation, and the bounds of their errors. */
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance.hpp"
#include "reference.hpp"

namespace collet::conformance {
namespace {

constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

constexpr std::array kComputed = {COLLET_TYPE_F32, COLLET_TYPE_F16, COLLET_TYPE_BF16,
                                  COLLET_TYPE_F64};

void expect_all(Operations& operations, const std::vector<Operation>& all) {
  for (const Operation& operation : all) {
    if (const auto out = operations.run(operation)) expect_result(operation, *out);
  }
}

Tensor numbers(collet_type_t type, const Sizes& sizes, Random& random, Number scale = 1) {
  Tensor tensor(type, sizes);
  tensor.fill_numbers(random, scale);
  return tensor;
}

Operation reduce(std::uint32_t function, const Sizes& out, const Tensor& in) {
  const bool is_index = function >= COLLET_REDUCTION_ARGMAX;
  return Operation(COLLET_OP_REDUCE, function)
      .operand(Tensor(is_index ? COLLET_TYPE_I64 : in.type(), out))
      .operand(in);
}

/** The values that a function is defined on, and that show its error. */
Tensor domain_of(std::uint32_t function, collet_type_t type, std::int64_t count, Random& random) {
  const bool is_wide = function == COLLET_UNARY_EXP || function == COLLET_UNARY_TANH ||
                       function == COLLET_UNARY_SIGMOID || function == COLLET_UNARY_GELU;
  Tensor tensor = numbers(type, {count}, random, is_wide ? 9 : 100);
  const bool is_positive = function == COLLET_UNARY_LOG || function == COLLET_UNARY_SQRT ||
                           function == COLLET_UNARY_RSQRT;
  for (std::int64_t i = 0; i < count && (is_positive || function == COLLET_UNARY_RECIPROCAL); ++i) {
    tensor.set(i, std::fabs(tensor.get(i)) + Number{0.01L});
  }
  return tensor;
}

}  // namespace

CONFORMANCE_CASE("PLUG-NUM-3 NaN goes through elementwise operations and activations",
                 clauses("PLUG-NUM-3"), needs(Capability::kOperations),
                 does("Puts a NaN at each place of a vector in turn, on either side.")) {
  Operations operations(test.device());
  Random random = test.random();
  constexpr std::int64_t kCount = 37;
  for (const collet_type_t type : kComputed) {
    const Tensor plain = numbers(type, {kCount}, random);
    for (const std::int64_t at : {0, 1, 15, 16, 35, 36}) {
      Tensor with_nan = plain;
      with_nan.set(at, kNan);
      for (const std::uint32_t f : {COLLET_UNARY_NEGATE, COLLET_UNARY_ABS, COLLET_UNARY_RELU,
                                    COLLET_UNARY_TANH, COLLET_UNARY_GELU, COLLET_UNARY_EXP}) {
        expect_all(
            operations,
            {Operation(COLLET_OP_UNARY, f).operand(Tensor(type, {kCount})).operand(with_nan)});
      }
      for (const std::uint32_t f : {COLLET_BINARY_ADD, COLLET_BINARY_MULTIPLY,
                                    COLLET_BINARY_MAXIMUM, COLLET_BINARY_MINIMUM}) {
        const Tensor out(type, {kCount});
        expect_all(operations,
                   {Operation(COLLET_OP_BINARY, f).operand(out).operand(with_nan).operand(plain),
                    Operation(COLLET_OP_BINARY, f).operand(out).operand(plain).operand(with_nan)});
      }
    }
  }
  for (const auto activation : {COLLET_ACTIVATION_RELU, COLLET_ACTIVATION_GELU,
                                COLLET_ACTIVATION_TANH, COLLET_ACTIVATION_SIGMOID}) {
    Tensor a = numbers(COLLET_TYPE_F32, {4, 5}, random);
    a.set(7, kNan);
    expect_all(operations, {Operation(COLLET_OP_MATMUL)
                                .activation(activation)
                                .operand(Tensor(COLLET_TYPE_F32, {4, 6}))
                                .operand(a)
                                .operand(numbers(COLLET_TYPE_F32, {5, 6}, random))});
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-3 NaN wins a maximum or minimum, and the first one is its index",
                 clauses("PLUG-NUM-3"), needs(Capability::kOperations),
                 does("Reduces rows with a NaN at each place, with two, and without; and rows of "
                      "equal and of negative numbers.")) {
  Operations operations(test.device());
  Random random = test.random();
  constexpr std::int64_t kCount = 40;
  for (const collet_type_t type : kComputed) {
    Tensor in = numbers(type, {kCount + 4, kCount}, random);
    for (std::int64_t row = 0; row < kCount; ++row) in.set(row * kCount + row, kNan);
    for (std::int64_t i = 0; i < kCount; ++i) {
      in.set(kCount * kCount + i, -1 - static_cast<Number>(i % 3));
      in.set((kCount + 1) * kCount + i, 2);
      in.set((kCount + 2) * kCount + i, i == 11 || i == 30 ? kNan : Number{1});
    }
    for (const std::uint32_t f : {COLLET_REDUCTION_MAXIMUM, COLLET_REDUCTION_MINIMUM}) {
      expect_all(operations, {reduce(f, {kCount + 4, 1}, in)});
    }
    for (const std::uint32_t f : {COLLET_REDUCTION_ARGMAX, COLLET_REDUCTION_ARGMIN}) {
      expect_all(operations, {reduce(f, {kCount + 4, 1}, in).axis(1)});
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-4 f16 and bf16 accumulate in f32", clauses("PLUG-NUM-4"),
                 needs(Capability::kOperations),
                 does("Adds 3000 ones, which stop at 2048 or 256 where the accumulator is as "
                      "narrow as the elements; by sums and by products of matrices.")) {
  Operations operations(test.device());
  for (const collet_type_t type : {COLLET_TYPE_F16, COLLET_TYPE_BF16}) {
    Tensor row(type, {3, 3000});
    row.fill(1);
    Tensor column(type, {3000, 2});
    column.fill(1);
    expect_all(
        operations,
        {reduce(COLLET_REDUCTION_SUM, {3, 1}, row),
         Operation(COLLET_OP_MATMUL).operand(Tensor(type, {3, 2})).operand(row).operand(column)});
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-4 integers accumulate in i64, and a mean divides before it narrows",
                 clauses("PLUG-NUM-4"), needs(Capability::kOperations),
                 does("Means of values whose sum does not fit in their own type.")) {
  Operations operations(test.device());
  for (const auto& [type, value] :
       std::vector<std::pair<collet_type_t, Number>>{{COLLET_TYPE_I8, 100},
                                                     {COLLET_TYPE_U8, 200},
                                                     {COLLET_TYPE_I16, 30000},
                                                     {COLLET_TYPE_I32, 2000000000},
                                                     {COLLET_TYPE_F16, 60000}}) {
    Tensor in(type, {2, 50});
    in.fill(value);
    expect_all(operations, {reduce(COLLET_REDUCTION_MEAN, {2, 1}, in)});
  }
  operations.expect_any();
}

CONFORMANCE_CASE(
    "PLUG-NUM-5 elementwise operations are within their bounds, to the last element",
    clauses("PLUG-NUM-5"), needs(Capability::kOperations),
    does("Every function on 3001 numbers, and three on 70001, so that parts of loops and "
         "of threads all have their turn.")) {
  Operations operations(test.device());
  Random random = test.random();
  constexpr std::int64_t kMany = 70001;
  constexpr std::int64_t kFew = 3001;
  for (const collet_type_t type : kComputed) {
    for (std::uint32_t f = COLLET_UNARY_NEGATE; f <= COLLET_UNARY_GELU; ++f) {
      const bool has_many = f == COLLET_UNARY_NEGATE || f == COLLET_UNARY_EXP;
      const std::int64_t count = has_many ? kMany : kFew;
      expect_all(operations, {Operation(COLLET_OP_UNARY, f)
                                  .operand(Tensor(type, {count}))
                                  .operand(domain_of(f, type, count, random))});
    }
    for (std::uint32_t f = COLLET_BINARY_ADD; f <= COLLET_BINARY_POWER; ++f) {
      const std::int64_t count = f == COLLET_BINARY_ADD ? kMany : kFew;
      expect_all(operations, {Operation(COLLET_OP_BINARY, f)
                                  .operand(Tensor(type, {count}))
                                  .operand(domain_of(COLLET_UNARY_SQRT, type, count, random))
                                  .operand(numbers(type, {count}, random, 2))});
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-5 reductions and softmax are within their bounds", clauses("PLUG-NUM-5"),
                 needs(Capability::kOperations), does("Rows of many lengths, along each axis.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const collet_type_t type : kComputed) {
    for (const std::int64_t length : {1, 2, 15, 16, 17, 100, 1023, 5000}) {
      const Tensor rows = numbers(type, {5, length}, random);
      const Tensor columns = numbers(type, {length, 5}, random);
      for (const std::uint32_t f : {COLLET_REDUCTION_SUM, COLLET_REDUCTION_MEAN,
                                    COLLET_REDUCTION_MAXIMUM, COLLET_REDUCTION_MINIMUM}) {
        expect_all(operations, {reduce(f, {5, 1}, rows), reduce(f, {1, 5}, columns)});
      }
      for (const std::uint32_t f : {COLLET_SOFTMAX_PLAIN, COLLET_SOFTMAX_LOG}) {
        if (length > 200) continue;
        const Tensor wide = numbers(type, {5, length}, random, 20);
        expect_all(operations, {Operation(COLLET_OP_SOFTMAX, f)
                                    .axis(1)
                                    .operand(Tensor(type, {5, length}))
                                    .operand(wide)});
      }
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-5 products of matrices are within their bounds", clauses("PLUG-NUM-5"),
                 needs(Capability::kOperations),
                 does("Sizes around powers of two, thin and flat ones, with scales, bias and "
                      "activations.")) {
  Operations operations(test.device());
  Random random = test.random();
  for (const collet_type_t type : kComputed) {
    for (const Sizes& mnk :
         {Sizes{1, 1, 1}, Sizes{1, 65, 33}, Sizes{64, 1, 100}, Sizes{17, 33, 1}, Sizes{16, 16, 16},
          Sizes{31, 33, 65}, Sizes{65, 64, 63}, Sizes{2, 100, 257}}) {
      const Tensor a = numbers(type, {mnk[0], mnk[2]}, random);
      const Tensor b = numbers(type, {mnk[2], mnk[1]}, random);
      const Tensor c = numbers(type, {mnk[0], mnk[1]}, random);
      const Tensor bias = numbers(type, {1, mnk[1]}, random);
      expect_all(operations, {Operation(COLLET_OP_MATMUL).operand(c).operand(a).operand(b),
                              Operation(COLLET_OP_MATMUL)
                                  .scale(0.5, -2)
                                  .activation(COLLET_ACTIVATION_TANH)
                                  .flags(COLLET_OP_HAS_BIAS)
                                  .operand(c)
                                  .operand(a)
                                  .operand(b)
                                  .operand(bias)});
    }
  }
  operations.expect_any();
}

}  // namespace collet::conformance
