// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::test {
namespace {

constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

/** Sizes of the output: 1 where the axis is in the set. */
Index reduced(Index sizes, std::uint32_t axes) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if ((axes >> d & 1) != 0) sizes[d] = 1;
  }
  return sizes;
}

/** Calls `body` with the value of each input element that goes into an output. */
void for_inputs(const Tensor& in, const Index& output, const std::function<void(Number)>& body,
                std::uint32_t axes) {
  Index sizes = in.sizes();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if ((axes >> d & 1) == 0) sizes[d] = 1;
  }
  for_each_index(sizes, [&](const Index& inner) {
    Index index = output;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if ((axes >> d & 1) != 0) index[d] = inner[d];
    }
    body(in.get(index));
  });
}

struct Reduction {
  Number value = 0;
  Number magnitude = 0;
  Number count = 0;
};

Reduction reference(const Tensor& in, const Index& output, std::uint32_t function,
                    std::uint32_t axes) {
  Reduction result;
  Number product = 1;
  Number extreme = function == COLLET_REDUCTION_MAXIMUM ? -kInfinity : kInfinity;
  for_inputs(
      in, output,
      [&](Number x) {
        result.value += x;
        result.magnitude += std::fabs(x);
        result.count += 1;
        product *= x;
        if (std::isnan(extreme)) return;
        const bool better = function == COLLET_REDUCTION_MAXIMUM ? x > extreme : x < extreme;
        if (better || std::isnan(x)) extreme = x;
      },
      axes);
  if (function == COLLET_REDUCTION_MEAN) result.value /= result.count;
  if (function == COLLET_REDUCTION_PRODUCT) result.value = product;
  if (function >= COLLET_REDUCTION_MAXIMUM) result.value = extreme;
  return result;
}

std::string reduction_difference(Tensor& out, const Tensor& in, std::uint32_t function,
                                 std::uint32_t axes) {
  const Description desc(COLLET_OP_REDUCE, function, {out.layout(), in.layout()});
  if (run_once(desc, {out.operand(), in.operand()}) != COLLET_OK) return last_report();
  const collet_type_t type = out.type();
  Reduction last;
  return difference(
      out,
      [&](const Index& index) {
        last = reference(in, index, function, axes);
        // A mean of integers is a fraction, which becomes one of them as a float would.
        const bool from_float = is_float(in.type()) || function == COLLET_REDUCTION_MEAN;
        return converted(type, last.value, from_float);
      },
      [&](const Index&, Number expected) -> Number {
        if (!is_float(type) || function >= COLLET_REDUCTION_MAXIMUM) return 0;
        // Each addition or multiplication in f64 rounds once; then comes the type of the output.
        const Number unit = unit_roundoff(COLLET_TYPE_F64) * (last.count + 2);
        const Number scale = function == COLLET_REDUCTION_PRODUCT ? std::fabs(last.value)
                             : function == COLLET_REDUCTION_MEAN  ? last.magnitude / last.count
                                                                  : last.magnitude;
        return std::isfinite(expected) ? unit * scale + ulp(type, expected) : 0;
      });
}

}  // namespace

TEST_CASE("PLUG-NUM reductions are right for every type and set of axes") {
  const auto type = GENERATE(from_range(kAllTypes));
  const auto function =
      GENERATE(range<std::uint32_t>(COLLET_REDUCTION_SUM, COLLET_REDUCTION_MINIMUM + 1));
  const auto axes = GENERATE(range(0U, 8U));
  CAPTURE(name_of(type), function, axes);
  const Index sizes = {4, 3, 70};
  Tensor in(type, sizes);
  in.fill_random(axes, function == COLLET_REDUCTION_PRODUCT ? 1.5L : 90);
  Tensor out(type, reduced(sizes, axes));
  CHECK(reduction_difference(out, in, function, axes) == kNoDifference);
}

TEST_CASE("PLUG-OPS reductions take any arrangement") {
  const auto type = GENERATE(COLLET_TYPE_F16, COLLET_TYPE_F32, COLLET_TYPE_I32);
  const auto a = GENERATE(from_range(kOutputArrangements));
  const auto b = GENERATE(from_range(kInputArrangements));
  const auto axes = GENERATE(range(0U, 8U));
  CAPTURE(name_of(type), static_cast<int>(a), static_cast<int>(b), axes);
  const Index sizes = {6, 5, 600};
  Tensor in(type, sizes, b);
  in.fill_random(5, 100);
  Tensor out(type, reduced(sizes, axes), a);
  CHECK(reduction_difference(out, in, COLLET_REDUCTION_SUM, axes) == kNoDifference);
  CHECK(reduction_difference(out, in, COLLET_REDUCTION_MAXIMUM, axes) == kNoDifference);
}

TEST_CASE("PLUG-NUM reductions of many elements are right wherever they are divided") {
  const auto type = GENERATE(COLLET_TYPE_F32, COLLET_TYPE_F64, COLLET_TYPE_I64);
  const auto sizes = GENERATE(Index{150000}, Index{2, 70000}, Index{70000, 2}, Index{300, 500});
  const auto axes = GENERATE(1U, 2U, 3U);
  const auto function =
      GENERATE(COLLET_REDUCTION_SUM, COLLET_REDUCTION_MEAN, COLLET_REDUCTION_MINIMUM);
  CAPTURE(name_of(type), sizes, axes, static_cast<int>(function));
  Tensor in(type, sizes);
  in.fill_random(6, 1000);
  Tensor out(type, reduced(sizes, axes));
  CHECK(reduction_difference(out, in, function, axes) == kNoDifference);
}

TEST_CASE("PLUG-NUM sums, means and extremes carry NaN from any place") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto function =
      GENERATE(range<std::uint32_t>(COLLET_REDUCTION_SUM, COLLET_REDUCTION_MINIMUM + 1));
  const auto place = GENERATE(0, 1, 31, 32, 63, 64, 500, 511, 512, 998, 999);
  const auto axes = GENERATE(1U, 2U);
  CAPTURE(name_of(type), function, place, axes);
  const Index sizes = axes == 1 ? Index{1000, 9} : Index{9, 1000};
  Tensor in(type, sizes);
  in.fill_random(1, 1);
  in.set(axes == 1 ? Index{place, 4} : Index{4, place}, kNan);
  Tensor out(type, reduced(sizes, axes));
  CHECK(reduction_difference(out, in, function, axes) == kNoDifference);
}

TEST_CASE(
    "PLUG-NUM short floats accumulate in a wider type, and a mean divides before it narrows") {
  // 70000 does not fit in f16.
  Tensor in(COLLET_TYPE_F16, {70000});
  in.fill([](const Index&) { return 1; });
  Tensor out(COLLET_TYPE_F16, {1});
  CHECK(reduction_difference(out, in, COLLET_REDUCTION_SUM, 1) == kNoDifference);
  CHECK(out.get({0}) == kInfinity);
  CHECK(reduction_difference(out, in, COLLET_REDUCTION_MEAN, 1) == kNoDifference);
  CHECK(out.get({0}) == 1);
}

TEST_CASE("PLUG-NUM integers accumulate in 64 bits") {
  Tensor in(COLLET_TYPE_I8, {1000});
  in.fill([](const Index&) { return 100; });
  Tensor out(COLLET_TYPE_I64, {1});
  CHECK(reduction_difference(out, in, COLLET_REDUCTION_SUM, 1) == kNoDifference);
  CHECK(out.get({0}) == 100000);
}

TEST_CASE("PLUG-NUM reductions of nothing are neutral, or refused with a reason") {
  const auto type = GENERATE(COLLET_TYPE_F16, COLLET_TYPE_F32, COLLET_TYPE_I32);
  const auto function =
      GENERATE(range<std::uint32_t>(COLLET_REDUCTION_SUM, COLLET_REDUCTION_ARGMIN + 1));
  CAPTURE(name_of(type), function);
  const bool position = function >= COLLET_REDUCTION_ARGMAX;
  Tensor in(type, {3, 0});
  Tensor out(position ? COLLET_TYPE_I64 : type, {3, 1});
  Description desc(COLLET_OP_REDUCE, function, {out.layout(), in.layout()});
  desc->axis = position ? 1 : 0;
  if (function >= COLLET_REDUCTION_MAXIMUM) {
    const collet_op_support_t support = support_of(desc);
    CHECK(support.level == COLLET_OP_UNSUPPORTED);
    CHECK(std::string(support.detail).find("size 0") != std::string::npos);
    return;
  }
  REQUIRE(run_once(desc, {out.operand(), in.operand()}) == COLLET_OK);
  const Number neutral = function == COLLET_REDUCTION_PRODUCT ? 1
                         : function == COLLET_REDUCTION_MEAN  ? kNan
                                                              : 0;
  CHECK(difference(out, [&](const Index&) { return converted(type, neutral, true); }) ==
        kNoDifference);
}

TEST_CASE("PLUG-NUM positions are those of the first extreme, or of the first NaN") {
  const auto type = GENERATE(from_range(kAllTypes));
  const auto function = GENERATE(COLLET_REDUCTION_ARGMAX, COLLET_REDUCTION_ARGMIN);
  const auto axis = GENERATE(0U, 1U, 2U);
  const auto b = GENERATE(from_range(kInputArrangements));
  const auto has_nan = GENERATE(false, true);
  CAPTURE(name_of(type), static_cast<int>(function), axis, static_cast<int>(b), has_nan);
  const Index sizes = {3, 700, 4};
  Tensor in(type, sizes, b);
  // Few different values, so that extremes repeat.
  Random random(4);
  in.fill([&](const Index&) -> Number {
    if (has_nan && is_float(type) && random.below(400) == 0) return kNan;
    return static_cast<Number>(random.below(9)) - 4;
  });
  Tensor out(COLLET_TYPE_I64, reduced(sizes, 1U << axis));
  Description desc(COLLET_OP_REDUCE, function, {out.layout(), in.layout()});
  desc->axis = axis;
  REQUIRE(run_once(desc, {out.operand(), in.operand()}) == COLLET_OK);
  CHECK(difference(out, [&](const Index& output) {
          std::int64_t best = 0;
          Index index = output;
          Number extreme = in.get(output);
          for (std::int64_t i = 1; i < sizes[axis] && !std::isnan(extreme); ++i) {
            index[axis] = i;
            const Number x = in.get(index);
            const bool better = function == COLLET_REDUCTION_ARGMAX ? x > extreme : x < extreme;
            if (!better && !std::isnan(x)) continue;
            extreme = x;
            best = i;
          }
          return static_cast<Number>(best);
        }) == kNoDifference);
}

}  // namespace collet::test
