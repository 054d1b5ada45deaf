// SPDX-License-Identifier: Apache-2.0
#include "backend_name.hpp"

#include <algorithm>

namespace collet::loader {

bool is_backend_name(std::string_view text) noexcept {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto allowed = [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= kMaxBackendName && lower(text.front()) &&
         std::all_of(text.begin(), text.end(), allowed);
}

}  // namespace collet::loader
