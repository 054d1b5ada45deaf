// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>

namespace collet::cli {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Length of the UTF-8 sequence of one printable character at the start; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) {
    return 0;
  }
  // U+0080 to U+009F are control characters too.
  if (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) {
    return 0;
  }
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                     is_continuation)
             ? length
             : 0;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length > 0) {
      result += text.substr(0, length);
    } else {
      result += text.front() == '\n' ? "; " : "?";
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string shortened(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) {
    return text;
  }
  std::size_t end = 0;
  for (std::size_t column = 0; column + 3 < columns; ++column) {
    do {
      ++end;
    } while (is_continuation(text[end]));
  }
  return text.substr(0, end) + "...";
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::string result;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? " " : "  ") + row[i];
      if (i + 1 < row.size()) {
        line.append(widths[i] - columns_of(row[i]), ' ');
      }
    }
    result += line + "\n";
  }
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string indented(std::string_view text, std::size_t indent) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += clean(text.substr(0, end));
    if (end == std::string_view::npos) {
      return result;
    }
    result += "\n" + std::string(indent, ' ');
    text.remove_prefix(end + 1);
  }
}

}  // namespace collet::cli
