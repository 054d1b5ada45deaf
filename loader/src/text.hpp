// SPDX-License-Identifier: Apache-2.0
// Small helps for texts that people read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace collet::loader {

// The text in printable ASCII: every other byte becomes \xNN, and a backslash two.
std::string escaped(std::string_view text);

// The escaped text between quotation marks, cut in the middle where it is very long.
std::string in_quotes(std::string_view text);

// The text in one line: line ends, and the blanks that follow them, become "; ".
std::string one_line(std::string_view text);

// "1 device", "2 devices"
std::string counted(std::uint64_t number, const char* noun);

// The one of the words that a person may have meant by `word`; empty if none is near.
// Distance is counted in insertions, deletions, replacements and swaps of neighbours.
std::string nearest(std::string_view word, std::span<const std::string> words);

// Where in a text the fault is, in bytes.
struct TextRange {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// Two lines, indented by 4: the escaped text, and carets under the range followed by the hint.
// A long text is cut to the neighbourhood of the range.
std::string with_caret(std::string_view text, TextRange range, std::string_view hint);

}  // namespace collet::loader
