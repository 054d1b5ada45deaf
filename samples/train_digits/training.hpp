// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <collet/collet.hpp>
#include <cstdint>
#include <vector>

#include "digits.hpp"
#include "images.hpp"
#include "network.hpp"
#include "options.hpp"
#include "random.hpp"
#include "sequence.hpp"

namespace digits {

// What an epoch has led to.
struct Progress {
  // Mean over the epoch's images, each measured before the step that learned from it.
  float loss;
  // Part of the test images that are recognized, from 0 to 1.
  float test_accuracy;
};

// Trains on one stream of a device. The host waits for the device only to report an epoch.
class Training {
 public:
  Training(const collet::Device& device, const Split& data, const Options& options);

  Progress run_epoch();

  std::uint64_t bytes_to_device() const { return bytes_to_device_; }
  std::uint64_t bytes_from_device() const { return bytes_from_device_; }

 private:
  void load_shuffled();
  void run_step(std::int64_t step_in_epoch);
  Progress report();

  const Digits& train_;
  std::int64_t batch_;
  std::int64_t steps_per_epoch_;
  Random random_;
  std::vector<std::uint32_t> order_;
  std::uint64_t steps_done_ = 0;
  std::uint64_t bytes_to_device_ = 0;
  std::uint64_t bytes_from_device_ = 0;

  collet::Stream stream_;
  Images train_images_;
  Images test_images_;
  Parameters parameters_;
  Parameters gradients_;
  Sequence step_;
  Sequence test_;
  // Inputs of step_.
  Activations batch_activations_;
  collet::TensorView batch_one_hot_;
  collet::Buffer step_sizes_;
  collet::TensorView step_size_;
  // Results of step_ and test_.
  collet::TensorView loss_sum_;
  collet::TensorView recognized_;
};

}  // namespace digits
