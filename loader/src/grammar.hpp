// SPDX-License-Identifier: Apache-2.0
// What the grammars of selectors and of visible devices have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "text.hpp"

namespace collet::loader {

// A text that chooses devices, and where it was written, such as "COLLET_DEVICE".
struct Selector {
  std::string origin;
  std::string text;
};

// An error about a part of a text: "origin: what", then the text with a caret and a hint.
Error selector_error(collet_status_t status, const Selector& selector, TextRange range,
                     const std::string& what, const std::string& hint);

// "did you mean "cuda"?", or nothing where no known name, nor "auto", is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

[[nodiscard]] bool is_digits(std::string_view text) noexcept;

// The parts of a text at a separator; there is always one, and each may be empty.
std::vector<TextRange> split(std::string_view text, TextRange range, char separator);

// Reads the parts of one text. Every fault is MALFORMED, with a caret under it.
class Grammar {
 public:
  // `known` are the names that hints may suggest. Both must outlive this.
  Grammar(const Selector& selector, std::span<const std::string> known)
      : selector_(selector), text_(selector.text), known_(known) {}

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::span<const std::string> known() const noexcept { return known_; }
  [[nodiscard]] std::string_view part(TextRange range) const {
    return text_.substr(range.offset, range.length);
  }

  [[noreturn]] void refuse(TextRange range, const std::string& what, const std::string& hint) const;

  void refuse_spaces(TextRange range) const;

  // The name of a back end.
  [[nodiscard]] std::string backend(TextRange range) const;

  // A decimal number; one that does not fit is the greatest value, which no device has. `prefix` is
  // what hints write before it, such as "cuda:".
  [[nodiscard]] std::uint32_t index(TextRange range, std::string_view prefix) const;

 private:
  const Selector& selector_;
  const std::string_view text_;
  const std::span<const std::string> known_;
};

}  // namespace collet::loader
