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

#include "error.hpp"
#include "text.hpp"

namespace collet::loader {

// A selector, and where it was written, such as "COLLET_DEVICE".
struct Selector {
  std::string origin;
  std::string text;
};

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

// An error about a part of a selector: "origin: what", then the text with a caret and a hint.
Error selector_error(collet_status_t status, const Selector& selector, TextRange range,
                     const std::string& what, const std::string& hint);

// "did you mean "cuda"?", or nothing where no known name, nor "auto", is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace collet::loader
