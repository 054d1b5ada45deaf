// SPDX-License-Identifier: Apache-2.0
//
// The optimizer: D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015.
#pragma once

#include <collet/collet.hpp>
#include <cstddef>
#include <vector>

#include "network.hpp"
#include "sequence.hpp"

namespace digits {

// Moves the parameters against their gradients, by `step_size`, a single element that holds the
// step's number out of adam_step_sizes().
void add_adam(Sequence& sequence, const collet::Stream& stream, const Parameters& parameters,
              const Parameters& gradients, const collet::TensorView& step_size);

// The learning rate of each step, with the corrections for the averages' start at zero.
std::vector<float> adam_step_sizes(std::size_t steps);

}  // namespace digits
