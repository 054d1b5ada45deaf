// SPDX-License-Identifier: Apache-2.0
#include "transformer_trace.hpp"

#include <random>
#include <utility>
#include <vector>

namespace collet::bench {
namespace {

constexpr int kSteps = 48;
constexpr std::uint64_t kLayers = 6;
constexpr std::uint64_t kSequences = 4;
constexpr std::uint64_t kHeads = 8;
constexpr std::uint64_t kWidth = 512;
constexpr std::uint64_t kInnerWidth = 4 * kWidth;
constexpr std::uint64_t kWords = 8192;
constexpr std::uint64_t kShortest = 64;
constexpr std::uint64_t kLongest = 512;
constexpr std::uint64_t kFloat = 4;
constexpr std::uint64_t kIndex = 8;

struct Parameter {
  std::uint64_t size_bytes;
  TracedBuffer value;
  TracedBuffer gradient;
  // The averages of Adam; they exist from the first step on.
  TracedBuffer mean;
  TracedBuffer square;
};

// A matrix, with a bias for each column.
struct Linear {
  Parameter weights;
  Parameter bias;
};

struct Layer {
  Linear attention_norm, query, key, value, projection;
  Linear inner_norm, widening, narrowing;
};

// What the forward pass of a layer leaves for the backward pass.
struct Activations {
  TracedBuffer attention_norm, attention_statistics, query, key, value;
  TracedBuffer probabilities, probability_mask, kept_probabilities, context, context_mask;
  TracedBuffer attended, inner_norm, inner_statistics, widened, activated, inner_mask, out;
};

class Transformer {
 public:
  explicit Transformer(MemoryTrace& trace)
      : trace_(trace),
        words_(parameter(kWords * kWidth)),
        positions_(parameter(kLongest * kWidth)),
        final_norm_(linear(1, kWidth)),
        head_(linear(kWidth, kWords)) {
    for (std::uint64_t i = 0; i < kLayers; ++i) {
      layers_.push_back({linear(1, kWidth), linear(kWidth, kWidth), linear(kWidth, kWidth),
                         linear(kWidth, kWidth), linear(kWidth, kWidth), linear(1, kWidth),
                         linear(kWidth, kInnerWidth), linear(kInnerWidth, kWidth)});
    }
  }

  void step(std::uint64_t length) {
    length_ = length;
    const TracedBuffer words = buffer(tokens() * kIndex);
    const TracedBuffer targets = buffer(tokens() * kIndex);
    propagate();
    optimize();
  }

 private:
  [[nodiscard]] std::uint64_t tokens() const { return kSequences * length_; }
  [[nodiscard]] TracedBuffer buffer(std::uint64_t size_bytes) { return {trace_, size_bytes}; }
  // For each token so many values.
  [[nodiscard]] TracedBuffer matrix(std::uint64_t width) {
    return buffer(tokens() * width * kFloat);
  }
  // A byte for each value.
  [[nodiscard]] TracedBuffer mask(std::uint64_t width) { return buffer(tokens() * width); }
  [[nodiscard]] std::uint64_t score_count() const {
    return kSequences * kHeads * length_ * length_;
  }
  [[nodiscard]] TracedBuffer scores() { return buffer(score_count() * kFloat); }

  Parameter parameter(std::uint64_t count) {
    return {count * kFloat, buffer(count * kFloat), {}, {}, {}};
  }
  Linear linear(std::uint64_t rows, std::uint64_t columns) {
    return {parameter(rows * columns), parameter(columns)};
  }

  void propagate();
  Activations forward();
  TracedBuffer backward(Layer& layer, Activations& kept, TracedBuffer gradient);
  TracedBuffer attention_backward(Layer& layer, Activations& kept);
  void differentiate(Parameter& parameter) { parameter.gradient = buffer(parameter.size_bytes); }
  void differentiate(Linear& linear) {
    differentiate(linear.weights);
    differentiate(linear.bias);
  }
  std::vector<Parameter*> parameters();
  void optimize();
  void optimize(Parameter& parameter);

  MemoryTrace& trace_;
  std::uint64_t length_ = 0;
  Parameter words_, positions_;
  Linear final_norm_, head_;
  std::vector<Layer> layers_;
};

void Transformer::propagate() {
  TracedBuffer embedded = matrix(kWidth);
  std::vector<Activations> kept;
  for (std::uint64_t i = 0; i < kLayers; ++i) kept.push_back(forward());

  TracedBuffer normalized = matrix(kWidth);
  TracedBuffer logits = matrix(kWords);
  TracedBuffer log_probabilities = matrix(kWords);
  logits.reset();
  const TracedBuffer losses = matrix(1);
  TracedBuffer logit_gradient = matrix(kWords);
  log_probabilities.reset();

  differentiate(head_);
  TracedBuffer gradient = matrix(kWidth);
  logit_gradient.reset();
  normalized.reset();
  differentiate(final_norm_);
  gradient = matrix(kWidth);
  for (std::uint64_t i = kLayers; i-- > 0;) {
    gradient = backward(layers_[i], kept[i], std::move(gradient));
    kept.pop_back();
  }
  differentiate(positions_);
  differentiate(words_);
}

Activations Transformer::forward() {
  Activations kept;
  kept.attention_norm = matrix(kWidth);
  kept.attention_statistics = matrix(2);
  kept.query = matrix(kWidth);
  kept.key = matrix(kWidth);
  kept.value = matrix(kWidth);
  {
    const TracedBuffer raw = scores();
    const TracedBuffer scaled = scores();
    kept.probabilities = scores();
  }
  kept.probability_mask = buffer(score_count());
  kept.kept_probabilities = scores();
  kept.context = matrix(kWidth);
  {
    const TracedBuffer projected = matrix(kWidth);
    kept.context_mask = mask(kWidth);
    const TracedBuffer dropped = matrix(kWidth);
    kept.attended = matrix(kWidth);
  }
  kept.inner_norm = matrix(kWidth);
  kept.inner_statistics = matrix(2);
  kept.widened = matrix(kInnerWidth);
  kept.activated = matrix(kInnerWidth);
  const TracedBuffer narrowed = matrix(kWidth);
  kept.inner_mask = mask(kWidth);
  const TracedBuffer dropped = matrix(kWidth);
  kept.out = matrix(kWidth);
  return kept;
}

// The gradient of a layer's output comes in, that of its input goes out. What is large ends with
// its last use, and the rest of what is kept with the layer.
TracedBuffer Transformer::backward(Layer& layer, Activations& kept, TracedBuffer gradient) {
  {
    TracedBuffer narrowed = matrix(kWidth);
    kept.inner_mask.reset();
    differentiate(layer.narrowing);
    TracedBuffer activated = matrix(kInnerWidth);
    narrowed.reset();
    kept.activated.reset();
    TracedBuffer widened = matrix(kInnerWidth);
    activated.reset();
    kept.widened.reset();
    differentiate(layer.widening);
    TracedBuffer normalized = matrix(kWidth);
    widened.reset();
    kept.inner_norm.reset();
    differentiate(layer.inner_norm);
    const TracedBuffer through = matrix(kWidth);
    kept.inner_statistics.reset();
    gradient = matrix(kWidth);
  }
  return attention_backward(layer, kept);
}

TracedBuffer Transformer::attention_backward(Layer& layer, Activations& kept) {
  TracedBuffer projected = matrix(kWidth);
  kept.context_mask.reset();
  differentiate(layer.projection);
  TracedBuffer context = matrix(kWidth);
  projected.reset();
  kept.context.reset();

  TracedBuffer value = matrix(kWidth);
  TracedBuffer kept_probabilities = scores();
  kept.kept_probabilities.reset();
  context.reset();
  TracedBuffer probabilities = scores();
  kept.probability_mask.reset();
  kept_probabilities.reset();
  TracedBuffer raw = scores();
  kept.probabilities.reset();
  probabilities.reset();
  TracedBuffer query = matrix(kWidth);
  TracedBuffer key = matrix(kWidth);
  raw.reset();

  TracedBuffer normalized = matrix(kWidth);
  struct Part {
    Linear& linear;
    TracedBuffer& gradient;
  };
  for (const Part& part : {Part{layer.value, value}, {layer.key, key}, {layer.query, query}}) {
    differentiate(part.linear);
    const TracedBuffer through = matrix(kWidth);
    part.gradient.reset();
  }
  differentiate(layer.attention_norm);
  const TracedBuffer through = matrix(kWidth);
  return matrix(kWidth);
}

std::vector<Parameter*> Transformer::parameters() {
  std::vector<Parameter*> all{&words_, &positions_};
  const auto add = [&](Linear& linear) {
    all.push_back(&linear.weights);
    all.push_back(&linear.bias);
  };
  for (Layer& layer : layers_) {
    for (Linear* linear :
         {&layer.attention_norm, &layer.query, &layer.key, &layer.value, &layer.projection,
          &layer.inner_norm, &layer.widening, &layer.narrowing}) {
      add(*linear);
    }
  }
  add(final_norm_);
  add(head_);
  return all;
}

void Transformer::optimize() {
  const std::vector<Parameter*> all = parameters();
  for (Parameter* parameter : all) optimize(*parameter);
  for (Parameter* parameter : all) parameter->gradient.reset();
}

void Transformer::optimize(Parameter& parameter) {
  if (parameter.mean.is_empty()) {
    parameter.mean = buffer(parameter.size_bytes);
    parameter.square = buffer(parameter.size_bytes);
  }
  const TracedBuffer root = buffer(parameter.size_bytes);
  const TracedBuffer change = buffer(parameter.size_bytes);
}

}  // namespace

MemoryTrace transformer_trace() {
  MemoryTrace trace;
  Transformer transformer(trace);
  // Its numbers are the same everywhere, which those of the distributions are not.
  std::minstd_rand random(1);
  for (int step = 0; step < kSteps; ++step) {
    transformer.step(kShortest + random() % (kLongest - kShortest + 1));
  }
  return trace;
}

}  // namespace collet::bench
