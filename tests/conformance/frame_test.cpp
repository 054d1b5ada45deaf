// SPDX-License-Identifier: Apache-2.0
/** The parts of the judge that decide: comparison, numbers, selection of text, seeds. */
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "bytes.hpp"
#include "check.hpp"
#include "contract.hpp"
#include "numbers.hpp"
#include "process.hpp"
#include "random.hpp"
#include "reference.hpp"
#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::conformance {
namespace {

/** What a case that ended early has seen. */
template <class Body>
std::string seen_by(Body&& body) {
  try {
    body();
  } catch (const CaseEnd& end) {
    return end.seen.empty() ? "(nothing)" : end.seen;
  }
  return "";
}

TEST_CASE("bytes a difference names its place, both values and how many there are") {
  const Bytes expected = payload(300, 1);
  CHECK_FALSE(difference(expected, expected));
  Bytes seen = expected;
  seen[17] = static_cast<std::uint8_t>(~seen[17]);
  seen[299] = static_cast<std::uint8_t>(~seen[299]);
  const std::string text = difference(seen, expected).value_or("");
  CHECK(text.find("byte 17 of 300") != std::string::npos);
  CHECK(text.find("2 bytes differ, the last is 299") != std::string::npos);
  CHECK(difference(part_of(expected, 0, 299), expected));
  CHECK_FALSE(difference({}, {}));
}

TEST_CASE("bytes a payload is unlike itself at every small shift, and unlike others") {
  const Bytes bytes = payload(4096, 7);
  for (std::size_t shift = 1; shift < 300; ++shift) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i + shift < bytes.size(); ++i) {
      equal += bytes[i] == bytes[i + shift] ? 1 : 0;
    }
    CHECK(equal < bytes.size() / 32);
  }
  CHECK(payload(64, 1) != payload(64, 2));
  CHECK(payload(64, 1) == part_of(payload(100, 1), 0, 64));
}

TEST_CASE("bytes a complement differs everywhere") {
  const Bytes bytes = payload(1000, 3);
  const Bytes other = complement(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) CHECK(bytes[i] != other[i]);
}

TEST_CASE("random the same seed gives the same numbers, and each case has its own") {
  Random first = Random::of(7, "PLUG-STR-1 a");
  Random again = Random::of(7, "PLUG-STR-1 a");
  Random other = Random::of(7, "PLUG-STR-1 b");
  bool is_other = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = first.next();
    CHECK(number == again.next());
    is_other |= number != other.next();
  }
  CHECK(is_other);
}

TEST_CASE("numbers f32 and f64 are decoded and encoded as the processor has them") {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    CHECK(is_same(decode(COLLET_TYPE_F32, &bits), value));
    const std::uint64_t wide_bits = random.next();
    double wide = 0;
    std::memcpy(&wide, &wide_bits, sizeof(wide));
    CHECK(is_same(decode(COLLET_TYPE_F64, &wide_bits), wide));
    CHECK(is_same(converted(COLLET_TYPE_F32, wide), static_cast<float>(wide)));
    float encoded = 0;
    encode(COLLET_TYPE_F32, wide, &encoded);
    CHECK(is_same(encoded, static_cast<float>(wide)));
  }
}

TEST_CASE("numbers every f16 and bf16 survives decoding and encoding") {
  for (const collet_type_t type : {COLLET_TYPE_F16, COLLET_TYPE_BF16}) {
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      const Number value = decode(type, &bits);
      if (std::isnan(value)) continue;
      std::uint16_t encoded = 0;
      encode(type, value, &encoded);
      CHECK(encoded == bits);
    }
  }
  CHECK(greatest(COLLET_TYPE_F16) == 65504);
  CHECK(least(COLLET_TYPE_F16) == std::ldexp(1.0L, -24));
  CHECK(least(COLLET_TYPE_BF16) == std::ldexp(1.0L, -133));
}

TEST_CASE("numbers ties go to even, what is too large to infinity, integers saturate") {
  CHECK(converted(COLLET_TYPE_BF16, 1 + 0x1p-8L) == 1);
  CHECK(converted(COLLET_TYPE_BF16, 1 + 3 * 0x1p-8L) == 1 + 0x1p-6L);
  CHECK(converted(COLLET_TYPE_F16, 65519) == 65504);
  CHECK(std::isinf(converted(COLLET_TYPE_F16, 65520)));
  CHECK(converted(COLLET_TYPE_F16, std::ldexp(1.0L, -25)) == 0);
  CHECK(converted(COLLET_TYPE_F16, std::ldexp(1.5L, -25)) == std::ldexp(1.0L, -24));
  CHECK(converted(COLLET_TYPE_I8, 127.9L) == 127);
  CHECK(converted(COLLET_TYPE_I8, -1000) == -128);
  CHECK(converted(COLLET_TYPE_U32, -1) == 0);
  CHECK(converted(COLLET_TYPE_I64, std::numeric_limits<Number>::quiet_NaN()) == 0);
  CHECK(converted(COLLET_TYPE_U64, std::ldexp(1.0L, 70)) == std::ldexp(1.0L, 64) - 1);
}

TEST_CASE("tensor layouts of all kinds have each element once, inside their bytes") {
  const Tensor plain(COLLET_TYPE_I32, {3, 4, 5});
  for (Tensor tensor : {plain, plain.transposed(), plain.with_gaps(3), plain.reversed(),
                        plain.with_gaps(2).reversed()}) {
    for (std::int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, static_cast<Number>(i));
    for (std::int64_t i = 0; i < tensor.count(); ++i) CHECK(tensor.get(i) == i);
    CHECK(tensor.get_broadcast({2, 3, 4}) == 59);
  }
  Tensor repeated = plain.repeated(1);
  repeated.set(7, 42);
  CHECK(repeated.get(2) == 42);
}

TEST_CASE("reference an element outside of its bound, and a byte between elements, are seen") {
  Tensor in(COLLET_TYPE_F32, {100});
  Random random(1);
  in.fill_numbers(random, 3);
  const Operation operation = Operation(COLLET_OP_UNARY, COLLET_UNARY_EXP)
                                  .operand(Tensor(COLLET_TYPE_F32, {100}).with_gaps(2))
                                  .operand(in);
  Tensor out = operation.tensor(0);
  for (std::int64_t i = 0; i < 100; ++i) out.set(i, std::exp(in.get(i)));
  CHECK(seen_by([&] { expect_result(operation, out); }).empty());

  Tensor wrong = out;
  wrong.set(99, wrong.get(99) * (1 + 0x1p-18L));
  CHECK(seen_by([&] { expect_result(operation, wrong); }).find("element 99") != std::string::npos);
  wrong = out;
  wrong.set(3, std::numeric_limits<Number>::quiet_NaN());
  CHECK(seen_by([&] { expect_result(operation, wrong); }).find("nan") != std::string::npos);
  wrong = out;
  wrong.bytes()[wrong.place_of(50) + 4] ^= 1;
  CHECK(seen_by([&] { expect_result(operation, wrong); }).find("no element") != std::string::npos);
}

TEST_CASE("reference a matrix product is the sum that its definition says") {
  Tensor a(COLLET_TYPE_F32, {2, 2});
  Tensor b(COLLET_TYPE_F32, {2, 1});
  Tensor c(COLLET_TYPE_F32, {2, 1});
  for (std::int64_t i = 0; i < 4; ++i) a.set(i, static_cast<Number>(i + 1));
  b.set(0, 10);
  b.set(1, 100);
  c.fill(7);
  const Operation operation =
      Operation(COLLET_OP_MATMUL).scale(2, 3).operand(c).operand(a).operand(b);
  Tensor out = c;
  out.set(0, 2 * 210 + 21);
  out.set(1, 2 * 430 + 21);
  CHECK(seen_by([&] { expect_result(operation, out); }).empty());
  out.set(1, 2 * 430 + 22);
  CHECK_FALSE(seen_by([&] { expect_result(operation, out); }).empty());
}

TEST_CASE("contract clauses are read with their sentence and text, and the nearest is found") {
  const Contract contract(
      "# Title\n\n## Part\n\n### PLUG-A-1 One is true.\nAnd this\nis more.\n\n### PLUG-A-2 Two.\n");
  REQUIRE(contract.clauses().size() == 2);
  CHECK(contract.find("A-1")->sentence == "One is true.");
  CHECK(contract.find("PLUG-A-1")->text == "And this is more.");
  CHECK(contract.find("PLUG-A-2")->text.empty());
  CHECK(contract.find("PLUG-A-3") == nullptr);
  CHECK(contract.nearest("PLUG-B-2") == "PLUG-A-2");
}

TEST_CASE("process an end is told apart: exit status, signal, and time") {
  using How = ProcessEnd::How;
  constexpr auto kLong = std::chrono::seconds(30);
  CHECK(run_in_child([] {}, kLong).how == How::kExit);
  const ProcessEnd exit = run_in_child([] { std::_Exit(3); }, kLong);
  CHECK((exit.how == How::kExit && exit.code == 3));
  const ProcessEnd killed = run_in_child([] { raise(SIGKILL); }, kLong);
  CHECK((killed.how == How::kSignal && killed.code == SIGKILL));
  const auto wait = [] {
    for (;;) pause();
  };
  CHECK(run_in_child(wait, std::chrono::milliseconds(1)).how == How::kStopped);
  CHECK(run_in_child([] { fail("it fails"); }, kLong).code == EXIT_FAILURE);
}

}  // namespace
}  // namespace collet::conformance
