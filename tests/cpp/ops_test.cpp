// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <collet/collet.hpp>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

namespace {

namespace ops = collet::ops;
using collet::TensorView;
using collet::test::Approx;

template <class T>
TensorView tensor(const collet::Stream& stream, std::initializer_list<std::int64_t> sizes,
                  const std::vector<T>& values) {
  TensorView result = TensorView::allocate(stream, collet::type_of<T>(), sizes);
  stream.write(result.origin(), values);
  return result;
}

template <class T>
TensorView zeros(const collet::Stream& stream, std::initializer_list<std::int64_t> sizes) {
  const collet::Layout layout = collet::make_contiguous(collet::type_of<T>(), sizes);
  return tensor(stream, sizes, std::vector<T>(static_cast<std::size_t>(layout.element_count())));
}

template <class T>
std::vector<T> values_of(const collet::Stream& stream, const TensorView& tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor.layout.element_count()));
  stream.read(tensor.origin(), values);
  return values;
}

using Floats = std::vector<float>;

TEST_CASE("ops fill and copy convert to the type of the output") {
  const collet::Stream stream;
  const TensorView integers = zeros<std::int32_t>(stream, {2, 2});
  ops::fill(stream, integers, 7);
  CHECK(values_of<std::int32_t>(stream, integers) == std::vector<std::int32_t>(4, 7));
  ops::fill(stream, integers, -2.0);
  const TensorView floats = zeros<float>(stream, {2, 2});
  ops::copy(stream, floats, integers);
  CHECK(values_of<float>(stream, floats) == Floats(4, -2.0F));
}

TEST_CASE("ops copy transposes") {
  const collet::Stream stream;
  const TensorView in = tensor<float>(stream, {2, 3}, {1, 2, 3, 4, 5, 6});
  const TensorView out = zeros<float>(stream, {3, 2});
  ops::copy(stream, out, in.transpose(0, 1));
  CHECK(values_of<float>(stream, out) == Floats{1, 4, 2, 5, 3, 6});
}

TEST_CASE("ops unary works in place") {
  const collet::Stream stream;
  const TensorView x = tensor<float>(stream, {4}, {-1, 0, 2, -3});
  ops::unary(stream, COLLET_UNARY_RELU, x, x);
  CHECK(values_of<float>(stream, x) == Floats{0, 0, 2, 0});
}

TEST_CASE("ops binary takes tensors that broadcast, and numbers on either side") {
  const collet::Stream stream;
  const TensorView a = tensor<float>(stream, {2, 2}, {1, 2, 3, 4});
  const TensorView row = tensor<float>(stream, {1, 2}, {10, 20});
  const TensorView out = zeros<float>(stream, {2, 2});
  ops::binary(stream, COLLET_BINARY_ADD, out, a, row);
  CHECK(values_of<float>(stream, out) == Floats{11, 22, 13, 24});
  ops::binary(stream, COLLET_BINARY_SUBTRACT, out, a, 1);
  CHECK(values_of<float>(stream, out) == Floats{0, 1, 2, 3});
  ops::binary(stream, COLLET_BINARY_SUBTRACT, out, 1.5F, a);
  CHECK(values_of<float>(stream, out) == Floats{0.5F, -0.5F, -1.5F, -2.5F});
  CHECK_THROWS_AS(ops::binary(stream, COLLET_BINARY_ADD, out, 1, 2), std::invalid_argument);
}

TEST_CASE("ops a number that an integer tensor cannot hold is refused") {
  const collet::Stream stream;
  const TensorView out = zeros<std::int64_t>(stream, {2});
  CHECK_THROWS_AS(ops::fill(stream, out, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(ops::fill(stream, out, 1e30), std::invalid_argument);
  CHECK_THROWS_AS(ops::fill(stream, out, UINT64_MAX), std::out_of_range);
  ops::fill(stream, out, INT64_MIN);
  CHECK(values_of<std::int64_t>(stream, out) == std::vector<std::int64_t>(2, INT64_MIN));
}

TEST_CASE("ops reduce sums the axes where the output has size 1") {
  const collet::Stream stream;
  const TensorView in = tensor<float>(stream, {2, 3}, {1, 2, 3, 4, 5, 6});
  const TensorView rows = zeros<float>(stream, {2, 1});
  const TensorView all = zeros<float>(stream, {1, 1});
  ops::reduce(stream, COLLET_REDUCTION_SUM, rows, in);
  ops::reduce(stream, COLLET_REDUCTION_MAXIMUM, all, in, {.deterministic = true});
  CHECK(values_of<float>(stream, rows) == Floats{6, 15});
  CHECK(values_of<float>(stream, all) == Floats{6});
}

TEST_CASE("ops reduce finds the index of the greatest element") {
  const collet::Stream stream;
  const TensorView in = tensor<float>(stream, {2, 3}, {1, 7, 3, 9, 5, 9});
  const TensorView out = zeros<std::int64_t>(stream, {2, 1});
  ops::reduce(stream, COLLET_REDUCTION_ARGMAX, out, in, {.axis = 1});
  CHECK(values_of<std::int64_t>(stream, out) == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("ops softmax gives probabilities, and their logarithms") {
  const collet::Stream stream;
  const TensorView in = tensor<float>(stream, {1, 3}, {0, std::log(2.0F), std::log(5.0F)});
  const TensorView out = zeros<float>(stream, {1, 3});
  ops::softmax(stream, out, in, 1);
  const Floats plain = values_of<float>(stream, out);
  ops::softmax(stream, out, in, 1, {.function = COLLET_SOFTMAX_LOG});
  const Floats logarithm = values_of<float>(stream, out);
  const Floats expected{0.125F, 0.25F, 0.625F};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(plain[i] == Approx(expected[i]));
    CHECK(logarithm[i] == Approx(std::log(expected[i])));
  }
}

TEST_CASE("ops matmul multiplies, adds a bias and applies an activation") {
  const collet::Stream stream;
  const TensorView a = tensor<float>(stream, {2, 2}, {1, 2, 3, 4});
  const TensorView b = tensor<float>(stream, {2, 2}, {1, -1, 1, 1});
  const TensorView bias = tensor<float>(stream, {1, 2}, {0, -2});
  const TensorView out = zeros<float>(stream, {2, 2});
  ops::matmul(stream, out, a, b);
  CHECK(values_of<float>(stream, out) == Floats{3, 1, 7, 1});
  ops::matmul(stream, out, a, b, {.bias = &bias, .activation = COLLET_ACTIVATION_RELU});
  CHECK(values_of<float>(stream, out) == Floats{3, 0, 7, 0});
  ops::matmul(stream, out, a.transpose(0, 1), b, {.alpha = 2, .beta = -1});
  CHECK(values_of<float>(stream, out) == Floats{5, 4, 5, 4});
}

TEST_CASE("Plan runs again on other memory, other numbers and other streams") {
  const collet::Stream stream;
  const TensorView x = tensor<float>(stream, {2}, {1, 2});
  const TensorView y = zeros<float>(stream, {2});
  const collet::Plan scale = ops::plan_binary(stream.device(), COLLET_BINARY_MULTIPLY, y, x, 0);
  CHECK(scale.support().level != COLLET_OP_UNSUPPORTED);
  scale.run(stream, {y, x, 3});
  CHECK(values_of<float>(stream, y) == Floats{3, 6});
  scale.run(stream, {x, y, 0.5});
  stream.synchronize();
  const collet::Stream other;
  scale.run(other, {y, x, 2});
  CHECK(values_of<float>(other, y) == Floats{3, 6});
}

TEST_CASE("Plan refuses operands that it was not made for, and memory that is too small") {
  const collet::Stream stream;
  const TensorView x = zeros<float>(stream, {2, 2});
  const collet::Plan plan = ops::plan_unary(stream.device(), COLLET_UNARY_ABS, x, x);
  CHECK_THROWS_AS(plan.run(stream, {x}), std::invalid_argument);
  CHECK_THROWS_AS(plan.run(stream, {x, 1.0}), std::invalid_argument);
  CHECK_THROWS_AS(plan.run(stream, {x, zeros<float>(stream, {2, 3})}), std::invalid_argument);
  CHECK_THROWS_AS(plan.run(stream, {x, zeros<std::int32_t>(stream, {2, 2})}),
                  std::invalid_argument);
  CHECK_THROWS_AS(plan.run(stream, {x, x.transpose(0, 1)}), std::invalid_argument);
  CHECK_THROWS_AS(plan.run(stream, {x, TensorView{stream.allocate(15), 0, x.layout}}),
                  collet::Error);
  CHECK_THROWS_AS(plan.run(stream, {TensorView{{}, 0, x.layout}, x}), collet::Error);
  CHECK_NOTHROW(plan.run(stream, {x, x}));
}

TEST_CASE("Plan for layouts that contradict each other throws") {
  const collet::Stream stream;
  const TensorView a = zeros<float>(stream, {2, 3});
  const TensorView out = zeros<float>(stream, {2, 2});
  CHECK_THROWS_AS(ops::plan_matmul(stream.device(), out, a, a), collet::Error);
}

}  // namespace
