// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace collet::conformance {
namespace {

constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

/** Half the spacing of 1 in the type that elements of `type` are computed in; 0 for integers. */
Number unit(collet_type_t type) {
  if (!is_float(type)) return 0;
  return std::ldexp(Number{1}, type == COLLET_TYPE_F64 ? -53 : -24);
}

/** What is within `bound` of a value, rounded to the output's type. */
Expected rounded_to(collet_type_t type, Number value, Number bound) {
  if (!std::isfinite(value)) bound = 0;
  return {converted(type, value - bound), converted(type, value + bound)};
}

// ---- elementwise
// ---------------------------------------------------------------------------------

Number gelu(Number x) { return x == -kInfinity ? 0 : x / 2 * std::erfc(-x / std::sqrt(Number{2})); }

Number unary(std::uint32_t function, Number x) {
  switch (function) {
    case COLLET_UNARY_NEGATE:
      return -x;
    case COLLET_UNARY_ABS:
      return std::fabs(x);
    case COLLET_UNARY_EXP:
      return std::exp(x);
    case COLLET_UNARY_LOG:
      return std::log(x);
    case COLLET_UNARY_SQRT:
      return std::sqrt(x);
    case COLLET_UNARY_RSQRT:
      return 1 / std::sqrt(x);
    case COLLET_UNARY_RECIPROCAL:
      return 1 / x;
    case COLLET_UNARY_SQUARE:
      return x * x;
    case COLLET_UNARY_TANH:
      return std::tanh(x);
    case COLLET_UNARY_SIGMOID:
      return 1 / (1 + std::exp(-x));
    case COLLET_UNARY_RELU:
      return x < 0 ? 0 : x;
    default:
      return gelu(x);
  }
}

/** How many units a function may be off; 0 where one rounding is all. */
Number unary_bound(std::uint32_t function, collet_type_t type, Number x, Number y) {
  constexpr Number kUnits = 8;
  switch (function) {
    case COLLET_UNARY_NEGATE:
    case COLLET_UNARY_ABS:
    case COLLET_UNARY_RELU:
      return 0;
    case COLLET_UNARY_GELU:
      // 1 + erf(x / sqrt 2) cancels for negative x: the error is relative to x.
      return kUnits * unit(type) * std::fabs(x);
    default:
      return kUnits * unit(type) * std::fabs(y) +
             (type == COLLET_TYPE_F64 ? least(type) : least(COLLET_TYPE_F32));
  }
}

Number maximum(Number a, Number b) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  return std::max(a, b);
}

Number minimum(Number a, Number b) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  return std::min(a, b);
}

Number binary(std::uint32_t function, Number a, Number b) {
  switch (function) {
    case COLLET_BINARY_ADD:
      return a + b;
    case COLLET_BINARY_SUBTRACT:
      return a - b;
    case COLLET_BINARY_MULTIPLY:
      return a * b;
    case COLLET_BINARY_DIVIDE:
      return a / b;
    case COLLET_BINARY_MAXIMUM:
      return maximum(a, b);
    case COLLET_BINARY_MINIMUM:
      return minimum(a, b);
    case COLLET_BINARY_POWER:
      return std::pow(a, b);
    case COLLET_BINARY_EQUAL:
      return a == b ? 1 : 0;
    case COLLET_BINARY_NOT_EQUAL:
      return a != b ? 1 : 0;
    case COLLET_BINARY_LESS:
      return a < b ? 1 : 0;
    case COLLET_BINARY_LESS_EQUAL:
      return a <= b ? 1 : 0;
    case COLLET_BINARY_GREATER:
      return a > b ? 1 : 0;
    default:
      return a >= b ? 1 : 0;
  }
}

std::vector<Expected> elementwise(const Operation& operation) {
  const Tensor& out = operation.tensor(0);
  const Tensor& first = operation.tensor(1);
  const std::uint32_t function = operation.desc().function;
  std::vector<Expected> result;
  for (std::int64_t i = 0; i < out.count(); ++i) {
    const Sizes index = out.index_of(i);
    const Number a = first.get_broadcast(index);
    if (operation.desc().kind == COLLET_OP_COPY) {
      result.push_back(rounded_to(out.type(), a, 0));
    } else if (operation.desc().kind == COLLET_OP_UNARY) {
      const Number y = unary(function, a);
      result.push_back(rounded_to(out.type(), y, unary_bound(function, out.type(), a, y)));
    } else {
      const Number y = binary(function, a, operation.tensor(2).get_broadcast(index));
      const Number units = function == COLLET_BINARY_POWER ? 16 : 2;
      const bool is_exact = function >= COLLET_BINARY_EQUAL || function == COLLET_BINARY_MAXIMUM ||
                            function == COLLET_BINARY_MINIMUM;
      result.push_back(
          rounded_to(out.type(), y, is_exact ? 0 : units * unit(out.type()) * std::fabs(y)));
    }
  }
  return result;
}

// ---- reductions
// ----------------------------------------------------------------------------------

/** What a reduction has gathered for one element of its output. */
struct Gathered {
  std::vector<Number> values;
};

Expected reduce(std::uint32_t function, collet_type_t in, collet_type_t out,
                const std::vector<Number>& values) {
  Number sum = 0;
  Number magnitude = 0;
  Number product = 1;
  for (const Number value : values) {
    sum += value;
    magnitude += std::fabs(value);
    product *= value;
  }
  const auto count = static_cast<Number>(values.size());
  switch (function) {
    case COLLET_REDUCTION_SUM:
      return rounded_to(out, sum, count * unit(in) * magnitude);
    case COLLET_REDUCTION_MEAN:
      return rounded_to(out, is_float(out) ? sum / count : std::trunc(sum / count),
                        (count + 1) * unit(in) * magnitude / count);
    case COLLET_REDUCTION_PRODUCT:
      return rounded_to(out, product, count * unit(in) * std::fabs(product));
    default:
      break;
  }
  // The first that no later one beats; NaN beats all.
  const bool is_greatest =
      function == COLLET_REDUCTION_MAXIMUM || function == COLLET_REDUCTION_ARGMAX;
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::isnan(values[best])) break;
    const bool is_better = std::isnan(values[i]) ||
                           (is_greatest ? values[i] > values[best] : values[i] < values[best]);
    if (is_better) best = i;
  }
  const bool is_index = function == COLLET_REDUCTION_ARGMAX || function == COLLET_REDUCTION_ARGMIN;
  const Number chosen = is_index ? static_cast<Number>(best) : values[best];
  return {chosen, chosen};
}

std::vector<Expected> reduction(const Operation& operation) {
  const Tensor& out = operation.tensor(0);
  const Tensor& in = operation.tensor(1);
  std::vector<Gathered> gathered(static_cast<std::size_t>(out.count()));
  for (std::int64_t i = 0; i < in.count(); ++i) {
    const Sizes index = in.index_of(i);
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < out.rank(); ++axis) {
      number = number * out.size(axis) + (out.size(axis) == 1 ? 0 : index[axis]);
    }
    gathered[static_cast<std::size_t>(number)].values.push_back(in.get(i));
  }
  std::vector<Expected> result;
  result.reserve(gathered.size());
  for (const Gathered& group : gathered) {
    result.push_back(reduce(operation.desc().function, in.type(), out.type(), group.values));
  }
  return result;
}

std::vector<Expected> softmax(const Operation& operation) {
  const Tensor& in = operation.tensor(1);
  const std::size_t axis = operation.desc().axis;
  const bool is_log = operation.desc().function == COLLET_SOFTMAX_LOG;
  std::vector<Expected> result;
  for (std::int64_t i = 0; i < in.count(); ++i) {
    Sizes index = in.index_of(i);
    const Number mine = in.get(i);
    Number greatest_value = -kInfinity;
    for (index[axis] = 0; index[axis] < in.size(axis); ++index[axis]) {
      greatest_value = maximum(greatest_value, in.get_broadcast(index));
    }
    Number sum = 0;
    for (index[axis] = 0; index[axis] < in.size(axis); ++index[axis]) {
      sum += std::exp(in.get_broadcast(index) - greatest_value);
    }
    const Number log = mine - greatest_value - std::log(sum);
    const Number y = is_log ? log : std::exp(log);
    const Number units = static_cast<Number>(in.size(axis)) + 16 + std::fabs(log) * 4;
    const Number bound = units * unit(in.type()) * (is_log ? 1 + std::fabs(y) : std::fabs(y));
    result.push_back(rounded_to(in.type(), y, bound + (is_log ? 0 : least(COLLET_TYPE_F32))));
  }
  return result;
}

// ---- products
// ------------------------------------------------------------------------------------

Number activated(collet_activation_t activation, Number x) {
  switch (activation) {
    case COLLET_ACTIVATION_RELU:
      return unary(COLLET_UNARY_RELU, x);
    case COLLET_ACTIVATION_GELU:
      return gelu(x);
    case COLLET_ACTIVATION_TANH:
      return std::tanh(x);
    case COLLET_ACTIVATION_SIGMOID:
      return unary(COLLET_UNARY_SIGMOID, x);
    default:
      return x;
  }
}

std::vector<Expected> matmul(const Operation& operation) {
  const Tensor& out = operation.tensor(0);
  const Tensor& a = operation.tensor(1);
  const Tensor& b = operation.tensor(2);
  const collet_op_desc_t& desc = operation.desc();
  const std::size_t row = out.rank() - 2;
  const std::size_t column = out.rank() - 1;
  const std::int64_t inner = a.size(column);
  std::vector<Expected> result;
  for (std::int64_t i = 0; i < out.count(); ++i) {
    const Sizes index = out.index_of(i);
    Sizes left = index;
    Sizes right = index;
    Number sum = 0;
    Number magnitude = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      left[column] = right[row] = k;
      const Number term = a.get_broadcast(left) * b.get_broadcast(right);
      sum += term;
      magnitude += std::fabs(term);
    }
    Number total = desc.alpha * sum;
    Number total_magnitude = std::fabs(desc.alpha) * magnitude;
    if (desc.beta != 0) {
      total += desc.beta * out.get(i);
      total_magnitude += std::fabs(desc.beta * out.get(i));
    }
    if ((desc.flags & COLLET_OP_HAS_BIAS) != 0) {
      const Number bias = operation.tensor(3).get_broadcast(index);
      total += bias;
      total_magnitude += std::fabs(bias);
    }
    // No activation stretches a distance by more than 1.13, the slope of gelu.
    const Number units = static_cast<Number>(inner) + 8;
    const Number bound = Number{1.13L} * units * unit(out.type()) * total_magnitude;
    result.push_back(rounded_to(out.type(), activated(desc.activation, total), bound));
  }
  return result;
}

}  // namespace

std::vector<Expected> reference(const Operation& operation) {
  switch (operation.desc().kind) {
    case COLLET_OP_REDUCE:
      return reduction(operation);
    case COLLET_OP_SOFTMAX:
      return softmax(operation);
    case COLLET_OP_MATMUL:
      return matmul(operation);
    default:
      return elementwise(operation);
  }
}

void expect_result(const Operation& operation, const Tensor& seen, Place place) {
  const std::vector<Expected> expected = reference(operation);
  for (std::int64_t i = 0; i < seen.count(); ++i) {
    const auto& [low, high] = expected[static_cast<std::size_t>(i)];
    const Number got = seen.get(i);
    if (is_same(got, low) || (got >= low && got <= high)) continue;
    fail("element " + std::to_string(i) + " of " + std::to_string(seen.count()) + " is " +
             number_text(got) + ", expected " + number_text(low) +
             (low < high ? " to " + number_text(high) : "") + "; " + operation.text(),
         place);
  }
  expect_gaps(operation, seen, place);
}

}  // namespace collet::conformance
