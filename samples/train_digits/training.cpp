// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <span>

#include "adam.hpp"

namespace digits {
namespace {

using collet::TensorView;

constexpr auto kInputs = static_cast<std::int64_t>(kPixels);
constexpr auto kScores = static_cast<std::int64_t>(kClasses);

// Counts the images whose highest score is that of their digit.
void add_recognized(Sequence& sequence, const collet::Stream& stream, const TensorView& scores,
                    const TensorView& labels, const TensorView& recognized) {
  const std::int64_t count = scores.layout.size(0);
  const TensorView best = TensorView::allocate(stream, COLLET_TYPE_I64, {count, 1});
  const TensorView matches = sequence.matrix(count, 1);
  sequence.argmax(best, scores, 1);
  sequence.copy(matches, best);
  sequence.binary(COLLET_BINARY_EQUAL, matches, matches, labels);
  sequence.sum(recognized, matches);
}

std::int64_t signed_size(const Digits& digits) { return static_cast<std::int64_t>(digits.size()); }

}  // namespace

Training::Training(const collet::Device& device, const Split& data, const Options& options)
    : train_(data.train),
      batch_(options.batch),
      steps_per_epoch_(signed_size(data.train) / batch_),
      random_(options.seed),
      order_(data.train.size()),
      stream_(device, {.label = "training"}),
      train_images_(stream_, steps_per_epoch_ * batch_),
      test_images_(stream_, signed_size(data.test)),
      parameters_(stream_),
      gradients_(stream_),
      step_(stream_),
      test_(stream_),
      batch_activations_(step_, step_.matrix(batch_, kInputs)),
      batch_one_hot_(step_.matrix(batch_, kScores)),
      step_size_(step_.matrix(1, 1)),
      loss_sum_(step_.matrix(1, 1)),
      recognized_(test_.matrix(1, 1)) {
  std::iota(order_.begin(), order_.end(), 0U);
  const std::vector<float> step_sizes =
      adam_step_sizes(options.epochs * static_cast<std::size_t>(steps_per_epoch_));
  step_sizes_ = stream_.upload(step_sizes);
  bytes_to_device_ += step_sizes.size() * sizeof(float);
  bytes_to_device_ += initialize(parameters_, stream_, random_);
  bytes_to_device_ += test_images_.load(data.test);

  add_forward(step_, parameters_, batch_activations_);
  add_backward(step_, parameters_, batch_activations_, batch_one_hot_, gradients_, loss_sum_);
  add_adam(step_, stream_, parameters_, gradients_, step_size_);

  const Activations test_activations(test_, test_images_.pixels);
  add_forward(test_, parameters_, test_activations);
  add_recognized(test_, stream_, test_activations.scores, test_images_.labels, recognized_);
}

Progress Training::run_epoch() {
  load_shuffled();
  collet::ops::fill(stream_, loss_sum_, 0.0);
  for (std::int64_t step = 0; step < steps_per_epoch_; ++step) run_step(step);
  test_.run();
  return report();
}

// Images that do not fill a last batch sit this epoch out; which ones, chance decides.
void Training::load_shuffled() {
  random_.shuffle(order_);
  const auto count = static_cast<std::size_t>(steps_per_epoch_ * batch_);
  bytes_to_device_ += train_images_.load(select(train_, std::span(order_).first(count)));
}

void Training::run_step(std::int64_t step_in_epoch) {
  const std::int64_t first = step_in_epoch * batch_;
  const TensorView pixels = train_images_.pixels.slice(0, first, first + batch_);
  const TensorView one_hot = train_images_.one_hot.slice(0, first, first + batch_);
  const auto images = static_cast<std::uint64_t>(batch_);
  stream_.copy(batch_activations_.images.origin(), pixels.origin(),
               images * kPixels * sizeof(float));
  stream_.copy(batch_one_hot_.origin(), one_hot.origin(), images * kClasses * sizeof(float));
  stream_.copy(step_size_.origin(), step_sizes_.at(steps_done_ * sizeof(float)), sizeof(float));
  step_.run();
  ++steps_done_;
}

Progress Training::report() {
  std::array<float, 1> loss_sum{};
  std::array<float, 1> recognized{};
  auto loss_copy = stream_.download(loss_sum_.origin(), loss_sum);
  auto recognized_copy = stream_.download(recognized_.origin(), recognized);
  bytes_from_device_ += sizeof(loss_sum) + sizeof(recognized);
  const auto trained = static_cast<float>(steps_per_epoch_ * batch_);
  const auto tested = static_cast<float>(test_images_.labels.layout.size(0));
  return {loss_copy.wait()[0] / trained, recognized_copy.wait()[0] / tested};
}

}  // namespace digits
