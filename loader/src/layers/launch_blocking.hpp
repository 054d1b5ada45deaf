// SPDX-License-Identifier: Apache-2.0
// COLLET_LAUNCH_BLOCKING: the layer that waits for each command.
#pragma once

#include <memory>

#include "layers/forward.hpp"

namespace collet::loader {

// Lies over the tables of `device`, and must be outlived by it.
Tables launch_blocking(LayerDevice& device) noexcept;

}  // namespace collet::loader
