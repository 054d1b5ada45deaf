// SPDX-License-Identifier: Apache-2.0
/** Messages made of texts and numbers. */
#pragma once

#include <string>
#include <type_traits>

namespace collet::cpu {

/** The parts, one after the other. */
template <class... Parts>
[[nodiscard]] std::string joined(const Parts&... parts) {
  std::string result;
  const auto append = [&result](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      result += std::to_string(part);
    } else {
      result += part;
    }
  };
  (append(parts), ...);
  return result;
}

}  // namespace collet::cpu
