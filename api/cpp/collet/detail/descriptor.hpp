// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of the C API. Its ..._INIT macros leave members out, which warns in C++.
#pragma once

#include <collet/base.h>

namespace collet::detail {

/// A descriptor with its head filled in and everything else zero.
template <class Descriptor>
Descriptor descriptor(collet_struct_type_t type) noexcept {
  Descriptor made{};
  made.base = {type, static_cast<uint32_t>(sizeof(Descriptor)), nullptr};
  return made;
}

}  // namespace collet::detail
