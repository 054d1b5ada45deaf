// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "digits.hpp"

namespace digits {
namespace {

using collet::TensorView;

constexpr auto kInputs = static_cast<std::int64_t>(kPixels);
constexpr std::int64_t kHidden = 128;
constexpr auto kScores = static_cast<std::int64_t>(kClasses);

// Where the parts of Parameters lie, in elements.
constexpr std::int64_t kHiddenBiasAt = kInputs * kHidden;
constexpr std::int64_t kScoreWeightsAt = kHiddenBiasAt + kHidden;
constexpr std::int64_t kScoreBiasAt = kScoreWeightsAt + kHidden * kScores;
constexpr std::int64_t kParameters = kScoreBiasAt + kScores;

TensorView part(const TensorView& all, std::int64_t first, std::int64_t rows,
                std::int64_t columns) {
  return {all.buffer, static_cast<std::uint64_t>(first) * sizeof(float),
          collet::make_contiguous(collet::type_of<float>(), {rows, columns})};
}

void randomize(std::span<float> weights, std::int64_t inputs, Random& random) {
  const float limit = std::sqrt(6.0F / static_cast<float>(inputs));
  for (float& weight : weights) weight = random.symmetric(limit);
}

}  // namespace

Parameters::Parameters(const collet::Stream& stream)
    : all(TensorView::allocate(stream, collet::type_of<float>(), {1, kParameters},
                               {.tag = "parameters"})),
      hidden_weights(part(all, 0, kInputs, kHidden)),
      hidden_bias(part(all, kHiddenBiasAt, 1, kHidden)),
      score_weights(part(all, kScoreWeightsAt, kHidden, kScores)),
      score_bias(part(all, kScoreBiasAt, 1, kScores)) {}

std::uint64_t initialize(const Parameters& parameters, const collet::Stream& stream,
                         Random& random) {
  std::vector<float> values(static_cast<std::size_t>(kParameters));
  const std::span<float> all(values);
  randomize(all.first(static_cast<std::size_t>(kHiddenBiasAt)), kInputs, random);
  randomize(all.subspan(static_cast<std::size_t>(kScoreWeightsAt),
                        static_cast<std::size_t>(kHidden * kScores)),
            kHidden, random);
  stream.write(parameters.all.origin(), values);
  return all.size_bytes();
}

Activations::Activations(const Sequence& sequence, const TensorView& inputs)
    : images(inputs),
      hidden(sequence.matrix(inputs.layout.size(0), kHidden)),
      scores(sequence.matrix(inputs.layout.size(0), kScores)) {}

void add_forward(Sequence& sequence, const Parameters& parameters, const Activations& activations) {
  sequence.matmul(activations.hidden, activations.images, parameters.hidden_weights,
                  {.bias = &parameters.hidden_bias, .activation = COLLET_ACTIVATION_RELU});
  sequence.matmul(activations.scores, activations.hidden, parameters.score_weights,
                  {.bias = &parameters.score_bias});
}

void add_backward(Sequence& sequence, const Parameters& parameters, const Activations& activations,
                  const TensorView& one_hot, const Parameters& gradients,
                  const TensorView& loss_sum) {
  const std::int64_t count = activations.images.layout.size(0);
  const TensorView log_probabilities = sequence.matrix(count, kScores);
  const TensorView score_gradient = sequence.matrix(count, kScores);
  const TensorView hidden_gradient = sequence.matrix(count, kHidden);
  const TensorView hidden_is_active = sequence.matrix(count, kHidden);
  const TensorView batch_sum = sequence.matrix(1, 1);

  // scores: (softmax - one_hot) / count
  sequence.log_softmax(log_probabilities, activations.scores, 1);
  sequence.unary(COLLET_UNARY_EXP, score_gradient, log_probabilities);
  sequence.binary(COLLET_BINARY_SUBTRACT, score_gradient, score_gradient, one_hot);
  sequence.binary(COLLET_BINARY_MULTIPLY, score_gradient, score_gradient,
                  1.0 / static_cast<double>(count));

  // loss: minus the logarithm at each image's digit
  sequence.binary(COLLET_BINARY_MULTIPLY, log_probabilities, log_probabilities, one_hot);
  sequence.sum(batch_sum, log_probabilities);
  sequence.binary(COLLET_BINARY_SUBTRACT, loss_sum, loss_sum, batch_sum);

  sequence.matmul(gradients.score_weights, activations.hidden.transpose(0, 1), score_gradient);
  sequence.sum(gradients.score_bias, score_gradient);

  // hidden units: nothing flows back through those that ReLU cut off
  sequence.matmul(hidden_gradient, score_gradient, parameters.score_weights.transpose(0, 1));
  sequence.binary(COLLET_BINARY_GREATER, hidden_is_active, activations.hidden, 0.0);
  sequence.binary(COLLET_BINARY_MULTIPLY, hidden_gradient, hidden_gradient, hidden_is_active);

  sequence.matmul(gradients.hidden_weights, activations.images.transpose(0, 1), hidden_gradient);
  sequence.sum(gradients.hidden_bias, hidden_gradient);
}

}  // namespace digits
