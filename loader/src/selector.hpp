// SPDX-License-Identifier: Apache-2.0
// The one parser of device selectors.
//
//   selector = item {"," item}          the first usable item wins
//   item     = backend [":" index] | "auto"
//   backend  = [a-z][a-z0-9_]*          index = 0 | [1-9][0-9]*          no spaces
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grammar.hpp"

namespace collet::loader {

struct SelectorItem {
  std::string backend;
  // An index beyond 2^32 - 1 is UINT32_MAX, which no device has.
  std::optional<std::uint32_t> index;
  // Where in the selector the two are written; the index's range is empty if there is none.
  TextRange backend_range;
  TextRange index_range;

  [[nodiscard]] bool is_auto() const noexcept { return backend == "auto"; }
};

// Takes a selector apart. Throws MALFORMED with a caret under the first fault; `known` are the
// names that hints may suggest.
std::vector<SelectorItem> parse_selector(const Selector& selector,
                                         std::span<const std::string> known);

}  // namespace collet::loader
