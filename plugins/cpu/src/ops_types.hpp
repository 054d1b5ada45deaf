// SPDX-License-Identifier: Apache-2.0
/** Element types of operations, and the types that they are computed in. */
#pragma once

#include <collet/base.h>

#include <cstdint>

#include "kernels/kernels.hpp"

namespace collet::cpu {

/** Size of an element in bytes; 0 for types that no operation takes. */
[[nodiscard]] std::int64_t type_size(collet_type_t type) noexcept;

/** Short name, such as "f32", for messages. */
[[nodiscard]] const char* type_name(collet_type_t type) noexcept;

/** f16, bf16, f32 or f64. */
[[nodiscard]] bool is_float(collet_type_t type) noexcept;

/** The type that elements of `type` are computed in. */
[[nodiscard]] Compute compute_of(collet_type_t type) noexcept;

/** The type of a running reduction over a compute type. */
[[nodiscard]] Compute running_of(Compute compute) noexcept;

/** The element type that needs no conversion to a compute type. */
[[nodiscard]] collet_type_t element_of(Compute compute) noexcept;

}  // namespace collet::cpu
