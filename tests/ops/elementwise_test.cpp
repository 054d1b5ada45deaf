// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::test {
namespace {

constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

Number unary_reference(std::uint32_t function, Number x) {
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
      return x * 0.5L * (1 + std::erf(x / std::sqrt(2.0L)));
  }
}

/**
 * Units in the last place, of the type that is computed in, that a function may be off.
 *
 * Exact functions round once (square root and division are correctly rounded); 1 / sqrt twice.
 * The polynomials of exp and log are good to one unit, to which argument reduction and the last
 * product add one; tanh and sigmoid divide once more by a sum that holds an exp.
 */
Number unary_units(std::uint32_t function) {
  switch (function) {
    case COLLET_UNARY_EXP:
    case COLLET_UNARY_LOG:
    case COLLET_UNARY_RSQRT:
      return 2;
    case COLLET_UNARY_TANH:
    case COLLET_UNARY_SIGMOID:
    case COLLET_UNARY_GELU:
      return 4;
    default:
      return 0.5L;
  }
}

/** Magnitudes from tiny to huge, both signs, and special values. */
Number varied(Random& random) {
  constexpr Number kSpecial[] = {0,          -0.0L,     1,          -1,       kInfinity,
                                 -kInfinity, kNan,      0.625L,     88.5L,    -88.5L,
                                 -103,       0x1p-149L, -0x1p-149L, 0x1p-24L, 65504};
  const std::int64_t choice = random.below(40);
  if (choice < 15) return kSpecial[choice];
  return std::ldexp(random.next(), static_cast<int>(random.below(16)) - 8);
}

collet_type_t running_type(collet_type_t type) {
  return type == COLLET_TYPE_F64 ? COLLET_TYPE_F64 : COLLET_TYPE_F32;
}

std::string unary_difference(Tensor& out, const Tensor& in, std::uint32_t function) {
  const Description desc(COLLET_OP_UNARY, function, {out.layout(), in.layout()});
  std::vector<Number> arguments;
  for_each_index(in.sizes(), [&](const Index& index) { arguments.push_back(in.get(index)); });
  if (run_once(desc, {out.operand(), in.operand()}) != COLLET_OK) return last_report();
  const collet_type_t type = out.type();
  std::size_t next = 0;
  return difference(
      out,
      [&](const Index&) {
        const Number result = unary_reference(function, arguments[next++]);
        return is_float(type) ? rounded(type, result) : converted(type, result, false);
      },
      [&](const Index&, Number expected) -> Number {
        if (!is_float(type) || !std::isfinite(expected)) return 0;
        const Number exact = unary_reference(function, arguments[next - 1]);
        const Number units = unary_units(function);
        // Short floats are rounded exactly once; the reference for f64 is rounded twice.
        if (units < 1) return type == COLLET_TYPE_F64 ? ulp(type, exact) : 0;
        // What gelu cancels is as large as its argument.
        const Number scale = function == COLLET_UNARY_GELU ? arguments[next - 1] : exact;
        return ulp(type, exact) + units * ulp(running_type(type), scale);
      });
}

template <class T>
Number native(std::uint32_t function, Number a, Number b) {
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  switch (function) {
    case COLLET_BINARY_ADD:
      return x + y;
    case COLLET_BINARY_SUBTRACT:
      return x - y;
    case COLLET_BINARY_MULTIPLY:
      return x * y;
    case COLLET_BINARY_DIVIDE:
      return x / y;
    default:
      return std::pow(x, y);
  }
}

std::uint64_t bits_of(Number x) {
  return x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
               : static_cast<std::uint64_t>(x);
}

/** Whole numbers modulo 2^64. */
Number integer_reference(std::uint32_t function, Number a, Number b) {
  const std::uint64_t x = bits_of(a);
  const std::uint64_t y = bits_of(b);
  switch (function) {
    case COLLET_BINARY_ADD:
      return static_cast<Number>(x + y);
    case COLLET_BINARY_SUBTRACT:
      return static_cast<Number>(x - y);
    case COLLET_BINARY_MULTIPLY:
      return static_cast<Number>(x * y);
    case COLLET_BINARY_DIVIDE:
      return b == 0 ? 0 : std::trunc(a / b);
    default:
      break;
  }
  if (b < 0) {
    if (std::fabs(a) != 1) return 0;
    return a < 0 && std::fmod(b, 2) != 0 ? -1 : 1;
  }
  std::uint64_t power = 1;
  for (Number i = 0; i < b; ++i) power *= x;
  return static_cast<Number>(power);
}

Number binary_reference(collet_type_t type, std::uint32_t function, Number a, Number b) {
  switch (function) {
    case COLLET_BINARY_MAXIMUM:
      return std::isnan(a) || std::isnan(b) ? kNan : a > b ? a : b;
    case COLLET_BINARY_MINIMUM:
      return std::isnan(a) || std::isnan(b) ? kNan : a < b ? a : b;
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
    case COLLET_BINARY_GREATER_EQUAL:
      return a >= b ? 1 : 0;
    default:
      break;
  }
  if (!is_float(type)) return converted(type, integer_reference(function, a, b), false);
  // In f64 as the processor does it; below, two roundings of a result in f64 are as good as one.
  return rounded(type, native<double>(function, a, b));
}

std::string binary_difference(Tensor& out, const Tensor& a, const Tensor& b,
                              std::uint32_t function) {
  const Description desc(COLLET_OP_BINARY, function, {out.layout(), a.layout(), b.layout()});
  std::vector<Number> expected;
  for_each_index(out.sizes(), [&](const Index& index) {
    expected.push_back(converted(
        out.type(), binary_reference(a.type(), function, a.get(index), b.get(index)), false));
  });
  if (run_once(desc, {out.operand(), a.operand(), b.operand()}) != COLLET_OK) {
    return last_report();
  }
  std::size_t next = 0;
  return difference(
      out, [&](const Index&) { return expected[next++]; },
      [&](const Index&, Number wanted) -> Number {
        const bool inexact = function == COLLET_BINARY_POWER && is_float(out.type());
        return inexact && std::isfinite(wanted) ? ulp(out.type(), wanted) : 0;
      });
}

constexpr std::uint32_t kFirstComparison = COLLET_BINARY_EQUAL;

}  // namespace

TEST_CASE("PLUG-NUM unary functions are right for every float type, NaN and infinity too") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto function = GENERATE(range<std::uint32_t>(COLLET_UNARY_NEGATE, COLLET_UNARY_GELU + 1));
  CAPTURE(name_of(type), function);
  Random random(function);
  Tensor in(type, {4000});
  in.fill([&](const Index&) { return rounded(type, varied(random)); });
  Tensor out(type, {4000});
  CHECK(unary_difference(out, in, function) == kNoDifference);
}

TEST_CASE("PLUG-NUM unary functions of integers wrap, and others are refused with a reason") {
  const auto type = GENERATE(from_range(kIntegerTypes));
  const auto function = GENERATE(range<std::uint32_t>(COLLET_UNARY_NEGATE, COLLET_UNARY_GELU + 1));
  CAPTURE(name_of(type), function);
  const Index sizes = {5};
  Tensor in(type, sizes);
  const Number values[] = {-1e30L, -3, 0, 5, 1e30L};
  in.fill([&](const Index& index) { return values[index[0]]; });
  Tensor out(type, sizes);
  const collet_op_support_t support =
      support_of(Description(COLLET_OP_UNARY, function, {out.layout(), in.layout()}));
  if (function == COLLET_UNARY_NEGATE || function == COLLET_UNARY_ABS ||
      function == COLLET_UNARY_RELU) {
    CHECK(unary_difference(out, in, function) == kNoDifference);
  } else if (function == COLLET_UNARY_SQUARE) {
    CHECK(support.level == COLLET_OP_NATIVE);
  } else {
    CHECK(support.level == COLLET_OP_UNSUPPORTED);
    CHECK(std::string(support.detail).find(name_of(type)) != std::string::npos);
  }
}

TEST_CASE("PLUG-OPS unary functions take any arrangement, and their output as input") {
  const auto type = GENERATE(COLLET_TYPE_F16, COLLET_TYPE_F32, COLLET_TYPE_I16);
  const auto sizes = GENERATE(Index{}, Index{0, 4}, Index{3, 700}, Index{5, 6, 7});
  const auto a = GENERATE(from_range(kOutputArrangements));
  const auto b = GENERATE(from_range(kInputArrangements));
  CAPTURE(name_of(type), sizes, static_cast<int>(a), static_cast<int>(b));
  Tensor in(type, sizes, b);
  in.fill_random(1, 10);
  Tensor out(type, sizes, a);
  CHECK(unary_difference(out, in, COLLET_UNARY_NEGATE) == kNoDifference);
  CHECK(unary_difference(out, out, COLLET_UNARY_NEGATE) == kNoDifference);
}

TEST_CASE("PLUG-NUM binary functions are right for every type") {
  const auto type = GENERATE(from_range(kAllTypes));
  const auto function =
      GENERATE(range<std::uint32_t>(COLLET_BINARY_ADD, COLLET_BINARY_GREATER_EQUAL + 1));
  CAPTURE(name_of(type), function);
  Random random(function);
  const Number edges[] = {0, 1, -1, 2, -2, 3, 1e30L, -1e30L, 7, 63};
  Tensor a(type, {1500});
  Tensor b(type, {1500});
  const auto value = [&](const Index&) -> Number {
    if (is_float(type)) return rounded(type, varied(random));
    return random.below(3) == 0 ? edges[random.below(10)] : std::trunc(random.next() * 200);
  };
  a.fill(value);
  b.fill(value);
  if (function == COLLET_BINARY_POWER && !is_float(type)) {
    b.fill([&](const Index&) { return static_cast<Number>(random.below(9)) - 2; });
  }
  Tensor out(type, {1500});
  CHECK(binary_difference(out, a, b, function) == kNoDifference);
  if (function >= kFirstComparison) {
    Tensor truth(COLLET_TYPE_BOOL, {1500});
    CHECK(binary_difference(truth, a, b, function) == kNoDifference);
  }
}

TEST_CASE("PLUG-OPS binary functions take any arrangement, broadcast, and work in place") {
  const auto type = GENERATE(COLLET_TYPE_BF16, COLLET_TYPE_F32, COLLET_TYPE_I32);
  const auto arrangement = GENERATE(from_range(kOutputArrangements));
  const auto a = GENERATE(Index{4, 5, 130}, Index{1, 5, 130}, Index{4, 1, 1}, Index{1, 1, 130},
                          Index{1, 1, 1});
  const auto of_b = GENERATE(from_range(kInputArrangements));
  CAPTURE(name_of(type), static_cast<int>(arrangement), a, static_cast<int>(of_b));
  const Index sizes = {4, 5, 130};
  Tensor x(type, a);
  x.fill_random(1, 50);
  Tensor y(type, sizes, of_b);
  y.fill_random(2, 50);
  Tensor out(type, sizes, arrangement);
  CHECK(binary_difference(out, x, y, COLLET_BINARY_SUBTRACT) == kNoDifference);
  CHECK(binary_difference(out, out, y, COLLET_BINARY_MULTIPLY) == kNoDifference);
  CHECK(binary_difference(out, x, out, COLLET_BINARY_SUBTRACT) == kNoDifference);
}

TEST_CASE("PLUG-OPS a binary function takes an immediate on either side") {
  const auto type = GENERATE(from_range(kAllTypes));
  const auto count = GENERATE(0, 1, 5, 3000, 70000);
  CAPTURE(name_of(type), count);
  Tensor in(type, {count});
  in.fill_random(3, 50);
  Tensor out(type, {count});
  collet_plugin_operand_t value = {};
  if (is_float(type)) {
    value.value.f = 3;
  } else {
    value.value.i = 3;
  }
  const Number three = converted(type, 3, false);
  const collet_layout_t immediate = immediate_of(type);
  REQUIRE(run_once(Description(COLLET_OP_BINARY, COLLET_BINARY_SUBTRACT,
                               {out.layout(), in.layout(), immediate}),
                   {out.operand(), in.operand(), value}) == COLLET_OK);
  const auto reference = [&](Number a, Number b) {
    return binary_reference(type, COLLET_BINARY_SUBTRACT, a, b);
  };
  CHECK(difference(out, [&](const Index& i) { return reference(in.get(i), three); }) ==
        kNoDifference);
  REQUIRE(run_once(Description(COLLET_OP_BINARY, COLLET_BINARY_SUBTRACT,
                               {out.layout(), immediate, in.layout()}),
                   {out.operand(), value, in.operand()}) == COLLET_OK);
  CHECK(difference(out, [&](const Index& i) { return reference(three, in.get(i)); }) ==
        kNoDifference);
}

TEST_CASE("PLUG-OPS binary functions of mixed types are refused with a reason") {
  const Description desc(COLLET_OP_BINARY, COLLET_BINARY_ADD,
                         {layout_of(COLLET_TYPE_F32, {3}), layout_of(COLLET_TYPE_F32, {3}),
                          layout_of(COLLET_TYPE_I32, {3})});
  const collet_op_support_t support = support_of(desc);
  CHECK(support.level == COLLET_OP_UNSUPPORTED);
  CHECK(std::string(support.detail).find("COPY") != std::string::npos);
}

}  // namespace collet::test
