// SPDX-License-Identifier: Apache-2.0
/** The part of REDUCE that finds positions. */
#pragma once

#include "ops_plan.hpp"

namespace collet::cpu {

/** ARGMAX and ARGMIN. */
[[nodiscard]] std::unique_ptr<const Plan> make_position_plan(const collet_op_desc_t& desc);

}  // namespace collet::cpu
