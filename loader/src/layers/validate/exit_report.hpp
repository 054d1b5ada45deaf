// SPDX-License-Identifier: Apache-2.0
// What the layer says when the process exits.
#pragma once

namespace collet::loader::validate {

// From now on, the exit of the process tells what was not released, and how much was found.
void report_at_exit() noexcept;

}  // namespace collet::loader::validate
