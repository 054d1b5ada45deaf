// SPDX-License-Identifier: Apache-2.0
// How the names of back ends are written.
#pragma once

#include <cstddef>
#include <string_view>

namespace collet::loader {

// So that an id such as "name:4294967295" fits in the properties.
inline constexpr std::size_t kMaxBackendName = 48;

// True for [a-z][a-z0-9_]* of at most that many characters.
bool is_backend_name(std::string_view text) noexcept;

}  // namespace collet::loader
