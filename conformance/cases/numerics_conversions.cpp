// SPDX-License-Identifier: Apache-2.0
/** Conversions of element types, at the values where they go wrong. */
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "conformance.hpp"
#include "reference.hpp"

namespace collet::conformance {
namespace {

constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

/** Values of a float type around the limits of integer types, and special ones. */
std::vector<Number> integer_boundaries() {
  std::vector<Number> values = {0,    -0.0L, 0.5L,      -0.5L,      0.999L, 1,
                                1.5L, -1.5L, kInfinity, -kInfinity, kNan};
  for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    const Number limit = std::ldexp(Number{1}, bits);
    for (const Number offset : {-2.0L, -1.5L, -1.0L, -0.5L, 0.0L, 0.5L, 1.0L, 1.5L}) {
      values.push_back(limit + offset);
      values.push_back(-limit + offset);
    }
    values.push_back(limit * 1.5L);
    values.push_back(-limit * 1.5L);
  }
  return values;
}

/** Values between and around those of a narrower float type. */
std::vector<Number> rounding_boundaries(collet_type_t narrow) {
  std::vector<Number> values = {0, -0.0L, kInfinity, -kInfinity, kNan, 1, -1};
  const Number tiny = least(narrow);
  for (const Number steps : {0.25L, 0.5L, 0.75L, 1.0L, 1.25L, 1.5L, 2.0L, 2.5L, 3.5L}) {
    values.push_back(tiny * steps);
    values.push_back(-tiny * steps);
  }
  // Ties between an even and an odd neighbour, and values next to ties.
  for (int exponent = -20; exponent <= 14; ++exponent) {
    const Number base = std::ldexp(Number{1}, exponent);
    const Number step = spacing(narrow, base);
    for (const Number steps : {0.25L, 0.5L, 0.5001L, 0.75L, 1.0L, 1.4999L, 1.5L, 1.75L, 2.5L}) {
      values.push_back(base + step * steps);
      values.push_back(-base - step * steps);
    }
  }
  const Number most = greatest(narrow);
  const Number step = spacing(narrow, most);
  for (const Number steps : {0.0L, 0.25L, 0.49L, 0.5L, 0.75L, 1.0L, 4.0L}) {
    values.push_back(most + step * steps);
    values.push_back(-most - step * steps);
  }
  // The border of denormals.
  const Number normal = tiny * std::ldexp(Number{1}, precision_of(narrow) - 1);
  for (const Number steps : {-2.0L, -1.0L, -0.5L, 0.0L, 0.5L, 1.0L}) {
    values.push_back(normal + tiny * steps);
  }
  return values;
}

/** Converts the values, as `from` has them, to `to`; every result must be exact. */
void expect_conversion(Operations& operations, collet_type_t from, collet_type_t to,
                       const std::vector<Number>& values) {
  Tensor in(from, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) in.set(static_cast<std::int64_t>(i), values[i]);
  const Operation copy = Operation(COLLET_OP_COPY).operand(Tensor(to, {in.count()})).operand(in);
  const auto out = operations.run(copy);
  if (!out) return;
  for (std::int64_t i = 0; i < in.count(); ++i) {
    const Number expected = converted(to, in.get(i));
    if (is_same(out->get(i), expected)) continue;
    fail(std::string(name_of(from)) + " " + number_text(in.get(i)) + " became " + name_of(to) +
         " " + number_text(out->get(i)) + ", expected " + number_text(expected));
  }
  expect_gaps(copy, *out);
}

}  // namespace

CONFORMANCE_CASE("PLUG-NUM-1 float to integer saturates, and NaN becomes 0", clauses("PLUG-NUM-1"),
                 needs(Capability::kOperations),
                 does("Converts values around the limits of all integer types, from all float "
                      "types.")) {
  Operations operations(test.device());
  for (const collet_type_t from : kFloatTypes) {
    for (const collet_type_t to : kIntegerTypes) {
      expect_conversion(operations, from, to, integer_boundaries());
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-2 narrowing rounds to nearest even, and keeps denormals",
                 clauses("PLUG-NUM-2"), needs(Capability::kOperations),
                 does("Converts ties, values beside them, denormals and the greatest values to "
                      "each narrower float type.")) {
  Operations operations(test.device());
  for (const collet_type_t to : kFloatTypes) {
    for (const collet_type_t from : kFloatTypes) {
      expect_conversion(operations, from, to, rounding_boundaries(to));
    }
  }
  for (const collet_type_t from : {COLLET_TYPE_I32, COLLET_TYPE_I64, COLLET_TYPE_U64}) {
    std::vector<Number> values;
    for (int bit = 10; bit < 63; ++bit) {
      for (const int offset : {-1, 0, 1, 3}) {
        values.push_back(std::ldexp(Number{1}, bit) + static_cast<Number>(offset));
      }
    }
    for (const collet_type_t to : {COLLET_TYPE_F32, COLLET_TYPE_F64}) {
      expect_conversion(operations, from, to, values);
    }
  }
  operations.expect_any();
}

CONFORMANCE_CASE("PLUG-NUM-6 any byte that is not zero is true, and true is written as 1",
                 clauses("PLUG-NUM-6"), needs(Capability::kOperations),
                 does("Converts all 256 bytes from bool, and values of every type to bool; and "
                      "compares numbers.")) {
  Operations operations(test.device());
  Tensor all(COLLET_TYPE_BOOL, {256});
  for (std::int64_t i = 0; i < 256; ++i)
    all.bytes()[all.place_of(i)] = static_cast<std::uint8_t>(i);
  for (const collet_type_t to :
       {COLLET_TYPE_BOOL, COLLET_TYPE_U8, COLLET_TYPE_I32, COLLET_TYPE_F16, COLLET_TYPE_F32}) {
    const Operation copy = Operation(COLLET_OP_COPY).operand(Tensor(to, {256})).operand(all);
    const auto out = operations.run(copy);
    if (!out) continue;
    for (std::int64_t i = 0; i < 256; ++i) {
      Bytes one(size_of(to));
      encode(to, i == 0 ? 0 : 1, one.data());
      expect_bytes(part_of(out->bytes(), out->place_of(i), size_of(to)), one,
                   "the bool " + std::to_string(i) + " as " + name_of(to));
    }
  }
  for (const collet_type_t from :
       {COLLET_TYPE_F32, COLLET_TYPE_F16, COLLET_TYPE_I32, COLLET_TYPE_I8, COLLET_TYPE_U64}) {
    expect_conversion(operations, from, COLLET_TYPE_BOOL,
                      {0, -0.0L, 1, 2, 0.25L, -1, 100, 127, kNan});
  }
  Random random = test.random();
  Tensor a(COLLET_TYPE_F32, {100});
  Tensor b(COLLET_TYPE_F32, {100});
  a.fill_integers(random, 1);
  b.fill_integers(random, 1);
  for (std::uint32_t f = COLLET_BINARY_EQUAL; f <= COLLET_BINARY_GREATER_EQUAL; ++f) {
    const Operation compare = Operation(COLLET_OP_BINARY, f)
                                  .operand(Tensor(COLLET_TYPE_BOOL, {100}))
                                  .operand(a)
                                  .operand(b);
    const auto out = operations.run(compare);
    if (!out) continue;
    expect_result(compare, *out);
    for (std::int64_t i = 0; i < 100; ++i) {
      expect(out->bytes()[out->place_of(i)] <= 1, "a comparison wrote a bool that is not 0 or 1");
    }
  }
  operations.expect_any();
}

}  // namespace collet::conformance
