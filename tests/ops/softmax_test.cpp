// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <map>

#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::test {
namespace {

constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

struct Row {
  Number max = -kInfinity;
  Number sum = 0;
};

std::string softmax_difference(Tensor& out, const Tensor& in, collet_softmax_t function,
                               std::uint32_t axis) {
  Description desc(COLLET_OP_SOFTMAX, function, {out.layout(), in.layout()});
  desc->axis = axis;
  const bool log = function == COLLET_SOFTMAX_LOG;
  const Index sizes = in.sizes();
  Index rows = sizes;
  rows[axis] = std::min<std::int64_t>(1, sizes[axis]);
  std::map<Index, Row> of_row;
  for_each_index(rows, [&](Index at) {
    Row& row = of_row[at];
    for (at[axis] = 0; at[axis] < sizes[axis]; ++at[axis]) row.max = std::fmax(row.max, in.get(at));
    for (at[axis] = 0; at[axis] < sizes[axis]; ++at[axis])
      row.sum += std::exp(in.get(at) - row.max);
  });
  std::vector<Number> expected;
  std::vector<Number> shifted;
  for_each_index(sizes, [&](const Index& index) {
    Index at = index;
    at[axis] = 0;
    const Row& row = of_row[at];
    const Number x = in.get(index) - row.max;
    expected.push_back(rounded(out.type(), log ? x - std::log(row.sum) : std::exp(x) / row.sum));
    shifted.push_back(std::isfinite(x) ? std::fabs(x) : 0);
  });
  if (run_once(desc, {out.operand(), in.operand()}) != COLLET_OK) return last_report();
  const collet_type_t running = out.type() == COLLET_TYPE_F64 ? COLLET_TYPE_F64 : COLLET_TYPE_F32;
  std::size_t next = 0;
  return difference(
      out, [&](const Index&) { return expected[next++]; },
      [&](const Index&, Number wanted) -> Number {
        if (!std::isfinite(wanted)) return 0;
        // The subtraction's rounding of x is a relative error of the exponential; that, the
        // quotient and the sum, whose terms are as good, add four units.
        const Number unit = unit_roundoff(running);
        const Number relative = unit * (2 * shifted[next - 1] + 8);
        return (log ? relative : relative * std::fabs(wanted)) + ulp(out.type(), wanted);
      });
}

}  // namespace

TEST_CASE("PLUG-NUM softmax is right for every float type, axis and arrangement") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto function = GENERATE(COLLET_SOFTMAX_PLAIN, COLLET_SOFTMAX_LOG);
  const auto axis = GENERATE(0U, 1U, 2U);
  const auto a = GENERATE(from_range(kOutputArrangements));
  const auto b = GENERATE(from_range(kInputArrangements));
  CAPTURE(name_of(type), static_cast<int>(function), axis, static_cast<int>(a),
          static_cast<int>(b));
  const Index sizes = {9, 10, 17};
  Tensor in(type, sizes, b);
  in.fill_random(1, 20);
  Tensor out(type, sizes, a);
  CHECK(softmax_difference(out, in, function, axis) == kNoDifference);
}

TEST_CASE("PLUG-OPS softmax works on long rows, many columns, and in place") {
  const auto type = GENERATE(COLLET_TYPE_F32, COLLET_TYPE_BF16);
  const auto function = GENERATE(COLLET_SOFTMAX_PLAIN, COLLET_SOFTMAX_LOG);
  const auto sizes = GENERATE(Index{2, 5000}, Index{3, 4096}, Index{40, 600}, Index{0, 5},
                              Index{5, 0}, Index{1, 1});
  const auto axis = GENERATE(0U, 1U);
  CAPTURE(name_of(type), static_cast<int>(function), sizes, axis);
  Tensor in(type, sizes);
  in.fill_random(2, 5);
  Tensor out(type, sizes);
  CHECK(softmax_difference(out, in, function, axis) == kNoDifference);
  CHECK(softmax_difference(in, in, function, axis) == kNoDifference);
}

TEST_CASE("PLUG-NUM softmax is stable for large values, and -inf has no weight") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto axis = GENERATE(0U, 1U);
  CAPTURE(name_of(type), axis);
  Tensor in(type, {12, 12});
  in.fill([](const Index& i) -> Number {
    if ((i[0] + i[1]) % 3 == 0) return -kInfinity;
    return 60000 + 64 * static_cast<Number>((i[0] * 5 + i[1]) % 4);
  });
  Tensor out(type, {12, 12});
  CHECK(softmax_difference(out, in, COLLET_SOFTMAX_PLAIN, axis) == kNoDifference);
  CHECK(softmax_difference(out, in, COLLET_SOFTMAX_LOG, axis) == kNoDifference);
}

TEST_CASE(
    "PLUG-NUM softmax of a row with NaN, with +inf, or of -inf alone is NaN, others are not") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto axis = GENERATE(0U, 1U);
  const auto function = GENERATE(COLLET_SOFTMAX_PLAIN, COLLET_SOFTMAX_LOG);
  CAPTURE(name_of(type), axis, static_cast<int>(function));
  constexpr std::int64_t kLength = 20;
  Tensor in(type, {kLength, kLength});
  // Row 1 has a NaN, row 2 is -inf alone, row 3 has +inf.
  const auto row = [&](const Index& i) { return i[1 - axis]; };
  in.fill([&](const Index& i) -> Number {
    if (row(i) == 1 && i[axis] == 7) return kNan;
    if (row(i) == 2) return -kInfinity;
    return row(i) == 3 && i[axis] == 0 ? kInfinity : 1;
  });
  Tensor out(type, {kLength, kLength});
  Description desc(COLLET_OP_SOFTMAX, function, {out.layout(), in.layout()});
  desc->axis = axis;
  REQUIRE(run_once(desc, {out.operand(), in.operand()}) == COLLET_OK);
  const Number even =
      function == COLLET_SOFTMAX_LOG ? -std::log(Number{kLength}) : 1 / Number{kLength};
  CHECK(difference(
            out,
            [&](const Index& i) -> Number {
              if (row(i) == 1 || row(i) == 2) return kNan;
              // inf - inf; the finite ones weigh nothing against +inf.
              if (row(i) == 3 && i[axis] == 0) return kNan;
              return row(i) == 3 ? out.get(i) : even;
            },
            [&](const Index&, Number wanted) { return 2 * ulp(type, wanted); }) == kNoDifference);
}

TEST_CASE("PLUG-OPS softmax of integers is refused with a reason") {
  const Description desc(COLLET_OP_SOFTMAX, COLLET_SOFTMAX_PLAIN,
                         {layout_of(COLLET_TYPE_I32, {4}), layout_of(COLLET_TYPE_I32, {4})});
  const collet_op_support_t support = support_of(desc);
  CHECK(support.level == COLLET_OP_UNSUPPORTED);
  CHECK(std::string(support.detail).find("i32") != std::string::npos);
}

}  // namespace collet::test
