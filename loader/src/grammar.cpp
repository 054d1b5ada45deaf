// SPDX-License-Identifier: Apache-2.0
#include "grammar.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "backend_name.hpp"

namespace collet::loader {
namespace {

// Kinds of devices that people write in place of a back end.
constexpr std::string_view kKinds[] = {"gpu", "npu", "tpu", "xpu"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_space(char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; }

std::uint32_t saturated(std::string_view digits) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t value = 0;
  for (const char digit : digits) {
    value = std::min(kMax, value * 10 + static_cast<std::uint64_t>(digit - '0'));
  }
  return static_cast<std::uint32_t>(value);
}

// What a person meant who has written a back end and an index with anything but one colon between
// them, such as "cuda1", "cuda::1" or "cuda[1]".
std::string meant_item(std::string_view text, std::span<const std::string> known) {
  while (text.ends_with(']') || text.ends_with(')')) {
    text.remove_suffix(1);
  }
  std::size_t digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) {
    --digits;
  }
  std::size_t name = digits;
  while (name > 0 && (!is_name_character(text[name - 1]) || text[name - 1] == '_')) {
    --name;
  }
  const std::string backend(text.substr(0, name));
  if (digits == text.size() || std::find(known.begin(), known.end(), backend) == known.end()) {
    return {};
  }
  return backend + ":" + std::to_string(saturated(text.substr(digits)));
}

}  // namespace

Error selector_error(collet_status_t status, const Selector& selector, TextRange range,
                     const std::string& what, const std::string& hint) {
  return {status, selector.origin + ": " + what + with_caret(selector.text, range, hint)};
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  // One letter from "cpu", and never meant as it.
  if (std::find(std::begin(kKinds), std::end(kKinds), name) != std::end(kKinds)) {
    return "name its back end, or write \"auto\", which prefers it to the CPU";
  }
  while (!name.empty() && is_quote(name.front())) {
    name.remove_prefix(1);
  }
  while (!name.empty() && is_quote(name.back())) {
    name.remove_suffix(1);
  }
  std::vector<std::string> words(known.begin(), known.end());
  words.emplace_back("auto");
  std::string word = meant_item(name, known);
  if (word.empty()) {
    word = nearest(name, words);
  }
  return word.empty() ? word : "did you mean " + in_quotes(word) + "?";
}

bool is_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::vector<TextRange> split(std::string_view text, TextRange range, char separator) {
  std::vector<TextRange> parts;
  const std::size_t stop = range.offset + range.length;
  std::size_t start = range.offset;
  for (std::size_t i = start; i < stop; ++i) {
    if (text[i] == separator) {
      parts.push_back({start, i - start});
      start = i + 1;
    }
  }
  parts.push_back({start, stop - start});
  return parts;
}

void Grammar::refuse(TextRange range, const std::string& what, const std::string& hint) const {
  throw selector_error(COLLET_ERROR_MALFORMED, selector_, range, what, hint);
}

void Grammar::refuse_spaces(TextRange range) const {
  const std::string_view item = part(range);
  const auto* const space = std::find_if(item.begin(), item.end(), is_space);
  if (space != item.end()) {
    const auto place = static_cast<std::size_t>(space - item.begin());
    const std::string meant = meant_item(item, known_);
    refuse({range.offset + place, 1}, "there are no spaces in a selector",
           meant.empty() ? "remove it" : "did you mean " + in_quotes(meant) + "?");
  }
}

std::string Grammar::backend(TextRange range) const {
  const std::string_view name = part(range);
  if (name.empty()) {
    refuse({range.offset, 1}, "the name of the back end is missing", "for instance \"cpu:0\"");
  }
  const bool sound = std::all_of(name.begin(), name.end(), is_name_character);
  if (!sound || is_digit(name.front()) || name.front() == '_') {
    std::string hint = did_you_mean(name, known_);
    if (hint.empty() && is_digit(name.front())) {
      hint = "an index stands behind its back end, for instance \"cpu:0\"";
    } else if (hint.empty()) {
      hint = "names are lower-case letters, digits and \"_\", and begin with a letter";
    }
    refuse(range, in_quotes(name) + " is no name of a back end", hint);
  }
  if (!is_backend_name(name)) {
    refuse(range, "the name is too long for a back end", "");
  }
  return std::string(name);
}

std::uint32_t Grammar::index(TextRange range, std::string_view prefix) const {
  const std::string_view digits = part(range);
  if (!is_digits(digits)) {
    const std::string meant = meant_item(std::string(prefix) + std::string(digits), known_);
    refuse(range, in_quotes(digits) + " is no index",
           meant.empty() || digits.front() == '-' || digits.front() == '+'
               ? "an index is 0, 1, 2, ..."
               : "did you mean " + in_quotes(meant) + "?");
  }
  if (digits.size() > 1 && digits.front() == '0') {
    const std::size_t nonzero = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    refuse(range, "an index has no leading zeros",
           "did you mean " + in_quotes(std::string(prefix) + std::string(digits.substr(nonzero))) +
               "?");
  }
  return saturated(digits);
}

}  // namespace collet::loader
