// SPDX-License-Identifier: Apache-2.0
// Copies from device to device that do not go through the host: where they are to be trusted.
#pragma once

#include "device.hpp"

namespace collet::loader {

// Whether copies between device memories may go from one device directly to the other. The first
// call for the two, in this direction, sends a pattern and looks what arrives; where that is not
// the same, a warning says so, and the answer is no from then on. Also no, for this once, where
// there is no room for the pattern.
[[nodiscard]] bool goes_directly(Device& from, Device& to);

}  // namespace collet::loader
