// SPDX-License-Identifier: Apache-2.0
//
// The network: 64 pixels, 128 hidden units (ReLU), 10 scores; all of it on the device.
#pragma once

#include <collet/collet.hpp>
#include <cstdint>

#include "random.hpp"
#include "sequence.hpp"

namespace digits {

// Weights and biases, or their gradients: views of one piece of memory, so that the optimizer
// handles them all at once.
struct Parameters {
  explicit Parameters(const collet::Stream& stream);

  collet::TensorView all;
  collet::TensorView hidden_weights;
  collet::TensorView hidden_bias;
  collet::TensorView score_weights;
  collet::TensorView score_bias;
};

// Weights that are uniform in He's range; biases are zero. Returns the bytes that were moved.
std::uint64_t initialize(const Parameters& parameters, const collet::Stream& stream,
                         Random& random);

// What the network computes from images.
struct Activations {
  Activations(const Sequence& sequence, const collet::TensorView& inputs);

  collet::TensorView images;
  collet::TensorView hidden;
  collet::TensorView scores;
};

// From images to scores.
void add_forward(Sequence& sequence, const Parameters& parameters, const Activations& activations);

// From scores back to the gradients of softmax with cross-entropy; `one_hot` has a 1 in the column
// of each image's digit. Adds the losses of the images to `loss_sum`.
void add_backward(Sequence& sequence, const Parameters& parameters, const Activations& activations,
                  const collet::TensorView& one_hot, const Parameters& gradients,
                  const collet::TensorView& loss_sum);

}  // namespace digits
