// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/place.hpp"

#include <execinfo.h>

#include <algorithm>

#include "call_site.hpp"

namespace collet::loader::validate {

Place Place::here() noexcept {
  // Of the library itself there are a few; what lies farther out is not looked at.
  std::array<void*, 32> addresses;
  const int depth = backtrace(addresses.data(), static_cast<int>(addresses.size()));
  const auto calls = outer_calls({addresses.data(), static_cast<std::size_t>(depth)});
  Place place;
  std::copy_n(calls.begin(), std::min(calls.size(), place.calls_.size()), place.calls_.begin());
  return place;
}

std::string Place::text() const {
  std::string text;
  for (const void* call : calls_) {
    if (call != nullptr) {
      text += (text.empty() ? "" : ", from ") + call_text(call);
    }
  }
  return text.empty() ? "an unknown place" : text;
}

}  // namespace collet::loader::validate
