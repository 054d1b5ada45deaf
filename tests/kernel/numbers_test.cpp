// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::line;
using collet::test::Runner;
using collet::test::runners;

namespace {

// ---- 16-bit numbers, by arithmetic in double that knows nothing of bits
// --------------------------
struct Format {
  int fraction_bits;
  int min_exponent;
  double largest;
};
constexpr Format kHalf{10, -14, 65504};
const Format kBfloat16{7, -126, std::ldexp(2.0 - std::ldexp(1.0, -7), 127)};

// The value of a bit pattern that is no NaN.
double value_of(const Format& format, std::uint16_t bits) {
  const int magnitude = bits & 0x7fff;
  const int exponent = magnitude >> format.fraction_bits;
  const double fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const double one = std::ldexp(1.0, format.fraction_bits);
  double value = exponent == 0 ? std::ldexp(fraction / one, format.min_exponent)
                               : std::ldexp(1 + fraction / one, format.min_exponent - 1 + exponent);
  if (value > format.largest) value = std::numeric_limits<double>::infinity();
  return (bits & 0x8000) != 0 ? -value : value;
}

bool is_nan(const Format& format, std::uint16_t bits) {
  return (bits & 0x7fff) > (0x7fff >> format.fraction_bits << format.fraction_bits);
}

// Nearest, ties to even, of a number that is no NaN.
double rounded(const Format& format, float number) {
  if (std::isinf(number) || number == 0) return number;
  const int exponent = std::max(std::ilogb(number), format.min_exponent);
  const double unit = std::ldexp(1.0, exponent - format.fraction_bits);
  const double value = std::nearbyint(number / unit) * unit;
  return std::abs(value) > format.largest
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : value;
}

std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  return all;
}

// Each number of the format, half-way points to its neighbours, and the floats beside those.
std::vector<float> rounding_cases(const Format& format) {
  std::vector<float> cases{std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::min(),
                           std::numeric_limits<float>::max(),
                           std::numeric_limits<float>::infinity(),
                           0.0F,
                           -0.0F,
                           65519.996F,
                           65520.0F};
  for (std::uint32_t bits = 0; bits < 0x7fff; ++bits) {
    if (is_nan(format, static_cast<std::uint16_t>(bits + 1))) break;
    const double here = value_of(format, static_cast<std::uint16_t>(bits));
    const double next = value_of(format, static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>(std::isinf(next) ? here : here + (next - here) / 2);
    for (const float number : {static_cast<float>(here), middle, std::nextafter(middle, 0.0F),
                               std::nextafter(middle, std::numeric_limits<float>::infinity())}) {
      cases.push_back(number);
      cases.push_back(-number);
    }
  }
  return cases;
}

void check_widening(Runner& runner, const Format& format, const std::string& kernel) {
  INFO(runner.name() << ": " << kernel);
  const std::vector<std::uint16_t> patterns = all_patterns();
  std::vector<float> values(patterns.size(), -1);
  runner.launch("numbers", kernel, line(16, 64), {patterns, values, std::uint64_t{65536}});
  std::size_t wrong = 0;
  for (const std::uint16_t bits : patterns) {
    const float value = values[bits];
    if (is_nan(format, bits)) {
      wrong += std::isnan(value) && std::signbit(value) == ((bits & 0x8000) != 0) ? 0 : 1;
    } else {
      const auto expected = static_cast<float>(value_of(format, bits));
      wrong +=
          std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(expected) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

std::vector<std::uint16_t> narrow(Runner& runner, const std::string& kernel,
                                  const std::vector<float>& numbers) {
  std::vector<std::uint16_t> bits(numbers.size(), 0x1234);
  runner.launch("numbers", kernel, line(16, 64), {numbers, bits, std::uint64_t{numbers.size()}});
  return bits;
}

void check_narrowing(Runner& runner, const Format& format, const std::string& kernel) {
  INFO(runner.name() << ": " << kernel);
  const std::vector<float> numbers = rounding_cases(format);
  const std::vector<std::uint16_t> bits = narrow(runner, kernel, numbers);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool right = !is_nan(format, bits[i]) &&
                       value_of(format, bits[i]) == rounded(format, numbers[i]) &&
                       ((bits[i] & 0x8000) != 0) == std::signbit(numbers[i]);
    wrong += right ? 0 : 1;
  }
  CHECK(wrong == 0);

  const std::vector<float> nans{
      std::bit_cast<float>(0x7fc00000U), std::bit_cast<float>(0xffc12345U),
      std::bit_cast<float>(0x7f800001U), std::bit_cast<float>(0x7fffffffU)};
  for (const std::uint16_t pattern : narrow(runner, kernel, nans)) CHECK(is_nan(format, pattern));
}

TEST_CASE("every half and every bfloat16 becomes the float that it means") {
  for (const auto& runner : runners()) {
    check_widening(*runner, kHalf, "half_to_float");
    check_widening(*runner, kBfloat16, "bfloat16_to_float");
  }
}

TEST_CASE("floats become the nearest half and bfloat16, ties to even, subnormals and NaN kept") {
  for (const auto& runner : runners()) {
    check_narrowing(*runner, kHalf, "float_to_half");
    check_narrowing(*runner, kBfloat16, "float_to_bfloat16");
  }
}

// ---- functions ---------------------------------------------------------------------------------
TEST_CASE("the smaller and the larger of two are NaN where one of them is") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> some{-infinity, -2, 0, 3, infinity, nan};
  std::vector<float> a, b;
  for (const float left : some) {
    for (const float right : some) a.push_back(left), b.push_back(right);
  }
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<float> smaller(a.size(), -1), larger(a.size(), -1);
    std::vector<int> is_nan(a.size(), -1);
    runner->launch(
        "numbers", "min_max", line(1, 64),
        {std::as_const(a), std::as_const(b), smaller, larger, is_nan, std::uint64_t{a.size()}});
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK((is_nan[i] != 0) == std::isnan(a[i]));
      if (std::isnan(a[i]) || std::isnan(b[i])) {
        CHECK((std::isnan(smaller[i]) && std::isnan(larger[i])));
      } else {
        CHECK(smaller[i] == std::min(a[i], b[i]));
        CHECK(larger[i] == std::max(a[i], b[i]));
      }
    }
  }
}

TEST_CASE("a multiply-add is rounded once where it is asked for, and twice elsewhere") {
  // (1 + e)(1 - e) - 1 is -e e, which two roundings lose.
  const float e = std::ldexp(1.0F, -13);
  const std::vector<float> a{1 + e, 3, 1e30F}, b{1 - e, 5, 1e30F}, c{-1, 7, 0};
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::vector<float> fused(3, -1), apart(3, -1);
    runner->launch("numbers", "multiply_add", line(1, 8),
                   {a, b, c, fused, apart, std::uint64_t{3}});
    CHECK(fused[0] == -e * e);
    CHECK(apart[0] == 0);
    CHECK(fused[1] == 22);
    CHECK(std::isinf(fused[2]));
  }
}

// Distance in units in the last place of the float nearest to the right value.
double ulps(float value, double right) {
  const auto nearest = static_cast<float>(right);
  if (std::isnan(right)) return std::isnan(value) ? 0 : 1e9;
  if (std::isinf(nearest)) return value == nearest ? 0 : 1e9;
  const int exponent = std::max(nearest == 0 ? -126 : std::ilogb(nearest), -126);
  return std::abs(static_cast<double>(value) - right) / std::ldexp(1.0, exponent - 23);
}

TEST_CASE("functions are as near to the right value as the guide says") {
  struct Function {
    double (*right)(double);
    double ulps;
  };
  const Function functions[] = {{[](double x) { return std::sqrt(x); }, 3},
                                {[](double x) { return std::exp(x); }, 3},
                                {[](double x) { return std::log(x); }, 3},
                                {[](double x) { return std::sin(x); }, 4},
                                {[](double x) { return std::cos(x); }, 4},
                                {[](double x) { return std::tanh(x); }, 5},
                                {[](double x) { return std::erf(x); }, 16},
                                {[](double x) { return std::floor(x); }, 0},
                                {[](double x) { return std::ceil(x); }, 0},
                                {[](double x) { return std::trunc(x); }, 0},
                                {[](double x) { return std::nearbyint(x); }, 0},
                                {[](double x) { return std::fabs(x); }, 0},
                                {[](double x) { return std::pow(std::fabs(x), 1.5); }, 16}};
  constexpr std::size_t kFunctions = std::size(functions);
  std::vector<float> x{0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F};
  for (int i = -200; i <= 200; ++i) x.push_back(static_cast<float>(i) * 0.173F);
  for (const auto& runner : runners()) {
    std::vector<float> y(x.size() * kFunctions, -1);
    runner->launch("numbers", "functions", line(3, 32),
                   {std::as_const(x), y, std::uint64_t{x.size()}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t f = 0; f < kFunctions; ++f) {
        const double distance = ulps(y[i * kFunctions + f], functions[f].right(x[i]));
        if (distance <= functions[f].ulps) continue;
        INFO(runner->name() << ": function " << f << " of " << x[i] << " is " << distance
                            << " units away");
        CHECK(distance <= functions[f].ulps);
      }
    }
    CHECK(y[0] != -1);
  }
}

}  // namespace
