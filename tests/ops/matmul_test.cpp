// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>

#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::test {
namespace {

constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

/** A product with everything that may go with it, and its reference. */
struct Case {
  Case(collet_layout_t c_layout, collet_layout_t a_layout, collet_layout_t b_layout)
      : c(c_layout), a(a_layout), b(b_layout) {
    c.fill_random(1);
    a.fill_random(2);
    b.fill_random(3);
  }

  void add_bias(collet_layout_t layout) {
    bias.emplace(layout);
    bias->fill_random(4);
  }

  std::vector<collet_layout_t> layouts() const {
    std::vector<collet_layout_t> result = {c.layout(), a.layout(), b.layout()};
    if (bias) result.push_back(bias->layout());
    return result;
  }

  void describe(Description& desc) const {
    desc->alpha = alpha;
    desc->beta = beta;
    desc->activation = activation;
    if (bias) desc->flags = COLLET_OP_HAS_BIAS;
  }

  Number activated(Number x) const {
    switch (activation) {
      case COLLET_ACTIVATION_RELU:
        return x < 0 ? 0 : x;
      case COLLET_ACTIVATION_GELU:
        return x * 0.5L * (1 + std::erf(x / std::sqrt(2.0L)));
      case COLLET_ACTIVATION_TANH:
        return std::tanh(x);
      case COLLET_ACTIVATION_SIGMOID:
        return 1 / (1 + std::exp(-x));
      default:
        return x;
    }
  }

  /** Empty, or what is wrong with a run of the operation. */
  std::string run() {
    std::vector<collet_plugin_operand_t> operands = {c.operand(), a.operand(), b.operand()};
    if (bias) operands.push_back(bias->operand());
    Description desc(COLLET_OP_MATMUL, 0, layouts());
    describe(desc);

    const std::int64_t k = a.layout().sizes[a.layout().rank - 1];
    // (k + 4) roundings of the running type, each of at most the sum of magnitudes; then one to
    // the type of C. The activations stretch errors by at most 1.13.
    const Number unit =
        unit_roundoff(c.type() == COLLET_TYPE_F64 ? COLLET_TYPE_F64 : COLLET_TYPE_F32);
    std::vector<Number> expected;
    std::vector<Number> accepted;
    for_each_index(c.sizes(), [&](const Index& index) {
      Index at_a = index;
      Index at_b = index;
      Number sum = 0;
      Number magnitude = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        at_a.back() = p;
        at_b[at_b.size() - 2] = p;
        const Number product = static_cast<Number>(alpha) * a.get(at_a) * b.get(at_b);
        sum += product;
        magnitude += std::fabs(product);
      }
      if (beta != 0) {
        sum += static_cast<Number>(beta) * c.get(index);
        magnitude += std::fabs(static_cast<Number>(beta) * c.get(index));
      }
      if (bias) {
        sum += bias->get(index);
        magnitude += std::fabs(bias->get(index));
      }
      const Number result = activated(sum);
      expected.push_back(rounded(c.type(), result));
      accepted.push_back(1.13L * (static_cast<Number>(k) + 4) * unit * magnitude +
                         8 * unit * std::fabs(result) + ulp(c.type(), result));
    });
    if (run_once(desc, operands) != COLLET_OK) return last_report();
    std::size_t next = 0;
    return difference(
        c, [&](const Index&) { return expected[next++]; },
        [&](const Index&, Number) { return accepted[next - 1]; });
  }

  Tensor c;
  Tensor a;
  Tensor b;
  std::optional<Tensor> bias = {};
  double alpha = 1;
  double beta = 0;
  collet_activation_t activation = COLLET_ACTIVATION_NONE;
};

}  // namespace

TEST_CASE("PLUG-NUM matmul is right for every float type and size, zero among them") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto m = GENERATE(0, 1, 3, 64, 130);
  const auto n = GENERATE(0, 1, 3, 17, 100);
  const auto k = GENERATE(0, 1, 3, 33);
  CAPTURE(name_of(type), m, n, k);
  Case product(layout_of(type, {m, n}), layout_of(type, {m, k}), layout_of(type, {k, n}));
  CHECK(product.run() == kNoDifference);
}

TEST_CASE("PLUG-NUM matmul takes any arrangement of its operands") {
  const auto type = GENERATE(COLLET_TYPE_F32, COLLET_TYPE_F64, COLLET_TYPE_BF16);
  const auto c = GENERATE(from_range(kOutputArrangements));
  const auto a = GENERATE(from_range(kInputArrangements));
  const auto b = GENERATE(from_range(kInputArrangements));
  CAPTURE(name_of(type), static_cast<int>(c), static_cast<int>(a), static_cast<int>(b));
  Case product(layout_of(type, {7, 20}, c), layout_of(type, {7, 9}, a),
               layout_of(type, {9, 20}, b));
  CHECK(product.run() == kNoDifference);
}

TEST_CASE("PLUG-NUM matmul applies alpha, beta, bias and activation in this order") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto arrangement = GENERATE(Arrangement::kContiguous, Arrangement::kTransposed);
  const auto alpha = GENERATE(1.0, -0.5);
  const auto beta = GENERATE(0.0, 1.0, 0.25);
  const auto bias = GENERATE(Index{}, Index{1, 12}, Index{5, 1}, Index{5, 12}, Index{1, 1});
  const auto activation =
      GENERATE(COLLET_ACTIVATION_NONE, COLLET_ACTIVATION_RELU, COLLET_ACTIVATION_GELU,
               COLLET_ACTIVATION_TANH, COLLET_ACTIVATION_SIGMOID);
  const auto k = GENERATE(0, 8);
  CAPTURE(name_of(type), static_cast<int>(arrangement), alpha, beta, bias,
          static_cast<int>(activation), k);
  Case product(layout_of(type, {5, 12}, arrangement), layout_of(type, {5, k}),
               layout_of(type, {k, 12}));
  product.alpha = alpha;
  product.beta = beta;
  product.activation = activation;
  if (!bias.empty()) product.add_bias(layout_of(type, bias));
  CHECK(product.run() == kNoDifference);
}

TEST_CASE("PLUG-NUM matmul broadcasts leading dimensions") {
  const auto type = GENERATE(COLLET_TYPE_F32, COLLET_TYPE_F16, COLLET_TYPE_F64);
  const auto a =
      GENERATE(Index{3, 2, 6, 5}, Index{1, 2, 6, 5}, Index{3, 1, 6, 5}, Index{1, 1, 6, 5});
  const auto b =
      GENERATE(Index{3, 2, 5, 8}, Index{1, 2, 5, 8}, Index{3, 1, 5, 8}, Index{1, 1, 5, 8});
  const auto bias = GENERATE(Index{}, Index{1, 1, 1, 8}, Index{3, 1, 6, 8});
  CAPTURE(name_of(type), a, b, bias);
  Case product(layout_of(type, {3, 2, 6, 8}), layout_of(type, a), layout_of(type, b));
  if (!bias.empty()) product.add_bias(layout_of(type, bias));
  CHECK(product.run() == kNoDifference);
}

TEST_CASE("PLUG-NUM matmul works on matrices that are divided among threads") {
  const auto type = GENERATE(COLLET_TYPE_F32, COLLET_TYPE_F64);
  const auto sizes = GENERATE(Index{200, 150, 170}, Index{60, 500, 90}, Index{333, 40, 200});
  const auto beta = GENERATE(0.0, 2.0);
  CAPTURE(name_of(type), sizes, beta);
  Case product(layout_of(type, {sizes[0], sizes[1]}), layout_of(type, {sizes[0], sizes[2]}),
               layout_of(type, {sizes[2], sizes[1]}, Arrangement::kTransposed));
  product.beta = beta;
  product.add_bias(layout_of(type, {1, sizes[1]}));
  product.activation = COLLET_ACTIVATION_RELU;
  CHECK(product.run() == kNoDifference);
}

TEST_CASE("PLUG-NUM matmul with beta 0 does not read C") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto k = GENERATE(0, 4);
  const auto alpha = GENERATE(1.0, 2.0);
  CAPTURE(name_of(type), k, alpha);
  Case product(layout_of(type, {6, 6}), layout_of(type, {6, k}), layout_of(type, {k, 6}));
  product.alpha = alpha;
  product.c.fill([](const Index&) { return kNan; });
  CHECK(product.run() == kNoDifference);
}

TEST_CASE("PLUG-NUM matmul carries NaN through its activation") {
  const auto type = GENERATE(from_range(kFloatTypes));
  const auto activation =
      GENERATE(COLLET_ACTIVATION_NONE, COLLET_ACTIVATION_RELU, COLLET_ACTIVATION_GELU,
               COLLET_ACTIVATION_TANH, COLLET_ACTIVATION_SIGMOID);
  CAPTURE(name_of(type), static_cast<int>(activation));
  Case product(layout_of(type, {4, 4}), layout_of(type, {4, 4}), layout_of(type, {4, 4}));
  product.activation = activation;
  product.a.set({2, 1}, kNan);
  CHECK(product.run() == kNoDifference);
  CHECK(std::isnan(product.c.get({2, 3})));
  CHECK_FALSE(std::isnan(product.c.get({1, 3})));
}

TEST_CASE("PLUG-NUM matmul of half types accumulates in f32") {
  const auto type = GENERATE(COLLET_TYPE_F16, COLLET_TYPE_BF16);
  CAPTURE(name_of(type));
  // In the type itself the sum would stop growing long before.
  constexpr std::int64_t kLength = 20000;
  Case product(layout_of(type, {1, 1}), layout_of(type, {1, kLength}),
               layout_of(type, {kLength, 1}));
  product.a.fill([](const Index&) { return 1; });
  product.b.fill([](const Index&) { return 1; });
  CHECK(product.run() == kNoDifference);
  CHECK(product.c.get({0, 0}) == rounded(type, kLength));
}

TEST_CASE("PLUG-OPS matmul of integers is refused with a reason") {
  const auto type = GENERATE(COLLET_TYPE_I32, COLLET_TYPE_U8, COLLET_TYPE_BOOL);
  CAPTURE(name_of(type));
  const Description desc(
      COLLET_OP_MATMUL, 0,
      {layout_of(type, {2, 2}), layout_of(type, {2, 2}), layout_of(type, {2, 2})});
  const collet_op_support_t support = support_of(desc);
  CHECK(support.level == COLLET_OP_UNSUPPORTED);
  CHECK(std::string(support.detail).find(name_of(type)) != std::string::npos);
  collet_plugin_plan_t* plan = nullptr;
  CHECK(cpu().ops->create(cpu().device, desc.get(), &plan) == COLLET_ERROR_UNSUPPORTED);
  CHECK(plan == nullptr);
  CHECK(last_report() == support.detail);
}

TEST_CASE("PLUG-OPS matmul of f32 is native, by oneDNN, and strict") {
  const Description desc(
      COLLET_OP_MATMUL, 0,
      {layout_of(COLLET_TYPE_F32, {64, 64}), layout_of(COLLET_TYPE_F32, {64, 64}),
       layout_of(COLLET_TYPE_F32, {64, 64})});
  const collet_op_support_t support = support_of(desc);
  CHECK(support.level == COLLET_OP_NATIVE);
  CHECK(support.math_mode == COLLET_MATH_STRICT);
  CHECK(std::string(support.detail).rfind("onednn ", 0) == 0);
}

}  // namespace collet::test
