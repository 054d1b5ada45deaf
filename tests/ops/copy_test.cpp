// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::test {
namespace {

constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

/** Ends of types and what lies beside them, ties of roundings, denormals. */
std::vector<Number> boundaries() {
  std::vector<Number> values = {0, 0.5L, 1, 1.5L, 2.5L, 3, kInfinity, kNan, 1e30L, 1e300L};
  for (const int bits : {7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64}) {
    const Number end = std::ldexp(Number{1}, bits);
    values.insert(values.end(), {end - 1, end, end + 1, end * 1.5L, end - 0.5L, end + end / 256,
                                 end + end / 512, end + end / 512 + 1});
  }
  // f16: greatest value, the tie to infinity, and what is just below; then its denormals.
  values.insert(values.end(), {65504, 65519, 65520, 65519.996L});
  for (const int exponent : {-14, -24, -25, -126, -133, -134, -149, -150, -1022, -1074}) {
    const Number small = std::ldexp(Number{1}, exponent);
    values.insert(values.end(), {small, small * 1.5L, small * 1.0001L, small * 0.9999L});
  }
  // Inside f16 and bf16: a tie, and values that are one only after a first rounding to f32.
  values.insert(values.end(), {1 + 0x1p-11L, 1 + 0x1p-11L + 0x1p-40L, 1 + 0x1.8p-10L, 1 + 0x1p-8L,
                               1 + 0x1p-8L + 0x1p-40L, 1 + 0x1.8p-7L});
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

/** Those that a type has, the others rounded into it. */
std::vector<Number> boundaries_of(collet_type_t type) {
  std::vector<Number> values = boundaries();
  for (Number& value : values) value = converted(type, value, true);
  return values;
}

std::string copied(Tensor& out, const Tensor& in) {
  const Description desc(COLLET_OP_COPY, 0, {out.layout(), in.layout()});
  if (run_once(desc, {out.operand(), in.operand()}) != COLLET_OK) return last_report();
  return difference(out, [&](const Index& index) {
    return converted(out.type(), in.get(index), is_float(in.type()));
  });
}

}  // namespace

TEST_CASE("PLUG-NUM copies convert between all types, also at their ends") {
  const auto to = GENERATE(from_range(kAllTypes));
  const auto from = GENERATE(from_range(kAllTypes));
  CAPTURE(name_of(to), name_of(from));
  const std::vector<Number> values = boundaries_of(from);
  const auto count = static_cast<std::int64_t>(values.size());
  Tensor in(from, {count});
  in.fill([&](const Index& index) { return values[static_cast<std::size_t>(index[0])]; });
  // fill() saturates through a float rule; integers beyond that are exact already.
  Tensor out(to, {count});
  CHECK(copied(out, in) == kNoDifference);
}

TEST_CASE("PLUG-NUM copies keep the sign of zero and of the denormals of short floats") {
  const auto to = GENERATE(from_range(kFloatTypes));
  const auto from = GENERATE(from_range(kFloatTypes));
  CAPTURE(name_of(to), name_of(from));
  Tensor in(from, {2});
  in.set({0}, -0.0L);
  in.set({1}, 0.0L);
  Tensor out(to, {2});
  CHECK(copied(out, in) == kNoDifference);
  CHECK(std::signbit(out.get({0})));
  CHECK_FALSE(std::signbit(out.get({1})));
}

TEST_CASE("PLUG-NUM a bool is true for any byte that is not zero") {
  const DeviceMemory in(256);
  const DeviceMemory out(256);
  for (int i = 0; i < 256; ++i) in.data()[i] = static_cast<std::byte>(i);
  const Description desc(COLLET_OP_COPY, 0,
                         {layout_of(COLLET_TYPE_U8, {256}), layout_of(COLLET_TYPE_BOOL, {256})});
  REQUIRE(run_once(desc, {{out.handle(), 0, {}}, {in.handle(), 0, {}}}) == COLLET_OK);
  bool right = out.data()[0] == std::byte{0};
  for (int i = 1; i < 256; ++i) right = right && out.data()[i] == std::byte{1};
  CHECK(right);
}

TEST_CASE("PLUG-OPS copies take any arrangement and size") {
  const auto from = GENERATE(COLLET_TYPE_U8, COLLET_TYPE_F16, COLLET_TYPE_F32, COLLET_TYPE_I64);
  const auto to = GENERATE(COLLET_TYPE_U8, COLLET_TYPE_F16, COLLET_TYPE_F32, COLLET_TYPE_I64);
  const auto sizes = GENERATE(Index{}, Index{0}, Index{1}, Index{300}, Index{3, 0, 2},
                              Index{17, 33}, Index{2, 3, 5}, Index{3, 64, 70}, Index{1, 600, 2});
  const auto a = GENERATE(from_range(kOutputArrangements));
  const auto b = GENERATE(from_range(kInputArrangements));
  CAPTURE(name_of(to), name_of(from), sizes, static_cast<int>(a), static_cast<int>(b));
  Tensor in(from, sizes, b);
  in.fill_random(7, 100);
  Tensor out(to, sizes, a);
  CHECK(copied(out, in) == kNoDifference);
}

TEST_CASE("PLUG-OPS copies of many elements are right wherever they are divided") {
  const auto type = GENERATE(COLLET_TYPE_U8, COLLET_TYPE_F32, COLLET_TYPE_F64);
  const auto to = GENERATE(Arrangement::kContiguous, Arrangement::kTransposed);
  const auto from = GENERATE(Arrangement::kContiguous, Arrangement::kTransposed);
  CAPTURE(name_of(type), static_cast<int>(to), static_cast<int>(from));
  Tensor in(type, {401, 307}, from);
  in.fill_random(8, 100);
  Tensor out(type, {401, 307}, to);
  CHECK(copied(out, in) == kNoDifference);
}

TEST_CASE("PLUG-OPS permutations of many dimensions are right") {
  // A permuted view of a contiguous tensor: every order of four dimensions.
  Index order = {0, 1, 2, 3};
  const Index sizes = {3, 4, 5, 6};
  const Index strides = {120, 30, 6, 1};
  do {
    collet_layout_t layout = layout_of(COLLET_TYPE_I32, sizes);
    for (std::size_t d = 0; d < order.size(); ++d) {
      const auto from = static_cast<std::size_t>(order[d]);
      layout.sizes[d] = sizes[from];
      layout.strides[d] = strides[from];
    }
    CAPTURE(order);
    Tensor in(layout);
    in.fill_random(9, 1000);
    Tensor out(COLLET_TYPE_I32, sizes_of(layout));
    CHECK(copied(out, in) == kNoDifference);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("PLUG-OPS fills give every type its value, converted") {
  const auto type = GENERATE(from_range(kAllTypes));
  const auto sizes = GENERATE(Index{}, Index{0}, Index{7}, Index{5, 70}, Index{70000});
  const auto arrangement = GENERATE(from_range(kOutputArrangements));
  const auto value = GENERATE(0, 1, 77);
  CAPTURE(name_of(type), sizes, static_cast<int>(arrangement), value);
  Tensor out(type, sizes, arrangement);
  const Description desc(COLLET_OP_FILL, 0, {out.layout(), immediate_of(type)});
  collet_plugin_operand_t operand = {};
  if (is_float(type)) {
    operand.value.f = value;
  } else {
    operand.value.i = value;
  }
  REQUIRE(run_once(desc, {out.operand(), operand}) == COLLET_OK);
  CHECK(difference(out, [&](const Index&) { return converted(type, value, false); }) ==
        kNoDifference);
}

TEST_CASE("PLUG-NUM an immediate is rounded to its own type first") {
  Tensor out(COLLET_TYPE_F32, {3});
  const Description desc(COLLET_OP_FILL, 0, {out.layout(), immediate_of(COLLET_TYPE_F16)});
  collet_plugin_operand_t operand = {};
  operand.value.f = 0.1;
  REQUIRE(run_once(desc, {out.operand(), operand}) == COLLET_OK);
  CHECK(difference(out, [](const Index&) { return rounded(COLLET_TYPE_F16, 0.1L); }) ==
        kNoDifference);
}

TEST_CASE("PLUG-OPS operands that are packed or of reserved types are refused with a reason") {
  collet_layout_t layout = layout_of(COLLET_TYPE_F32, {4});
  if (GENERATE(false, true)) {
    layout.packed = 1;
    layout.packed_size_bytes = 16;
  } else {
    layout.type = COLLET_TYPE_C64;
  }
  const Description desc(COLLET_OP_COPY, 0, {layout_of(COLLET_TYPE_F32, {4}), layout});
  const collet_op_support_t support = support_of(desc);
  CHECK(support.level == COLLET_OP_UNSUPPORTED);
  CHECK(std::string(support.detail).find("operand 1") == 0);
}

}  // namespace collet::test
