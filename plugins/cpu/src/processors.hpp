// SPDX-License-Identifier: Apache-2.0
/** How many threads are of use. */
#pragma once

namespace collet::cpu {

/** Processors that this process may run on. */
[[nodiscard]] unsigned usable_processors() noexcept;

}  // namespace collet::cpu
