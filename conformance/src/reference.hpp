// SPDX-License-Identifier: Apache-2.0
/**
 * What an operation gives, computed from its definition in extended precision, and how far an
 * element may be from it.
 *
 * Bounds come from the standard analysis of rounding (Higham, Accuracy and Stability, chapters 3
 * and 4) with u, half the spacing of 1 in the type that is computed in: f64 for f64, f32 for other
 * float types. A sum of n terms is off by at most (n - 1) u times the sum of their magnitudes, in
 * any order; a product of matrices by k u |A||B|. A function of the catalogue is allowed a few
 * units of the last place; the result is rounded once more to the type of the output.
 */
#pragma once

#include <vector>

#include "operation.hpp"

namespace collet::conformance {

/** What an element may be: from `low` to `high`, both as the type has them; or NaN, if they are. */
struct Expected {
  Number low;
  Number high;
};

/** One for each element of the output, in row-major order. */
[[nodiscard]] std::vector<Expected> reference(const Operation& operation);

/** Every element is within its bound, and no byte around them has changed. */
void expect_result(const Operation& operation, const Tensor& seen, Place place = Place::here());

}  // namespace collet::conformance
