// SPDX-License-Identifier: Apache-2.0
// COLLET_LAYERS=validate: the layer that looks for hazards. See loader/docs/validate.md.
#pragma once

#include "layers/buffer_watch.hpp"
#include "layers/forward.hpp"

namespace collet::loader {

// Lies over the tables of `device`, and must be outlived by it. Says at the exit of the process
// what it has found, and what was not released.
Tables validate_layer(LayerDevice& device) noexcept;

// Whom the pools of such a device tell of its buffers.
BufferWatch& validate_watch() noexcept;

}  // namespace collet::loader
