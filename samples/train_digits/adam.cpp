// SPDX-License-Identifier: Apache-2.0
#include "adam.hpp"

#include <cmath>

namespace digits {
namespace {

using collet::TensorView;

constexpr double kLearningRate = 0.003;
constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

void add_adam(Sequence& sequence, const collet::Stream& stream, const Parameters& parameters,
              const Parameters& gradients, const TensorView& step_size) {
  const std::int64_t count = parameters.all.layout.size(1);
  const TensorView mean = sequence.matrix(1, count);
  const TensorView square = sequence.matrix(1, count);
  const TensorView change = sequence.matrix(1, count);
  collet::ops::fill(stream, mean, 0.0);
  collet::ops::fill(stream, square, 0.0);

  // mean = decay * mean + (1 - decay) * gradient
  sequence.binary(COLLET_BINARY_MULTIPLY, mean, mean, kMeanDecay);
  sequence.binary(COLLET_BINARY_MULTIPLY, change, gradients.all, 1 - kMeanDecay);
  sequence.binary(COLLET_BINARY_ADD, mean, mean, change);

  // square = decay * square + (1 - decay) * gradient^2
  sequence.unary(COLLET_UNARY_SQUARE, change, gradients.all);
  sequence.binary(COLLET_BINARY_MULTIPLY, change, change, 1 - kSquareDecay);
  sequence.binary(COLLET_BINARY_MULTIPLY, square, square, kSquareDecay);
  sequence.binary(COLLET_BINARY_ADD, square, square, change);

  // parameters -= step_size * mean / (sqrt(square) + epsilon)
  sequence.unary(COLLET_UNARY_SQRT, change, square);
  sequence.binary(COLLET_BINARY_ADD, change, change, kEpsilon);
  sequence.binary(COLLET_BINARY_DIVIDE, change, mean, change);
  sequence.binary(COLLET_BINARY_MULTIPLY, change, change, step_size);
  sequence.binary(COLLET_BINARY_SUBTRACT, parameters.all, parameters.all, change);
}

std::vector<float> adam_step_sizes(std::size_t steps) {
  std::vector<float> sizes;
  sizes.reserve(steps);
  double mean_decay = 1;
  double square_decay = 1;
  for (std::size_t i = 0; i < steps; ++i) {
    mean_decay *= kMeanDecay;
    square_decay *= kSquareDecay;
    sizes.push_back(
        static_cast<float>(kLearningRate * std::sqrt(1 - square_decay) / (1 - mean_decay)));
  }
  return sizes;
}

}  // namespace digits
