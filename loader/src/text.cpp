// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace collet::loader {
namespace {

constexpr std::size_t kMaxQuoted = 80;
// Columns of a text with a caret, and of those shown before and behind the fault when it is cut.
constexpr std::size_t kMaxShown = 72;
constexpr std::size_t kShownAround = 24;

constexpr std::string_view kCut = "...";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

// Optimal string alignment: Damerau-Levenshtein without edits inside a swapped pair.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string escaped(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      result += "\\\\";
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  std::string shown = escaped(text);
  if (shown.size() > kMaxQuoted) {
    shown.replace(kMaxQuoted / 2, shown.size() - kMaxQuoted + kCut.size(), kCut);
  }
  return '"' + shown + '"';
}

std::string one_line(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      result += text[i];
      continue;
    }
    while (i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '\n')) {
      ++i;
    }
    if (i + 1 < text.size()) {
      result += "; ";
    }
  }
  return result;
}

std::string counted(std::uint64_t number, const char* noun) {
  return std::to_string(number) + ' ' + noun + (number == 1 ? "" : "s");
}

std::string nearest(std::string_view word, std::span<const std::string> words) {
  // The distance grows with the square of the length, and no name is that long.
  const std::string wanted = lower(word.substr(0, 64));
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : words) {
    const std::size_t d = distance(wanted, candidate);
    if (d < least) {
      least = d;
      found = candidate;
    }
  }
  return found;
}

std::string with_caret(std::string_view text, TextRange range, std::string_view hint) {
  std::string before = escaped(text.substr(0, range.offset));
  std::string fault = escaped(text.substr(range.offset, range.length));
  std::string behind = escaped(text.substr(range.offset + range.length));
  if (before.size() + fault.size() + behind.size() > kMaxShown) {
    if (before.size() > kShownAround) {
      before = std::string(kCut) + before.substr(before.size() - kShownAround);
    }
    if (fault.size() > kShownAround) {
      fault = fault.substr(0, kShownAround) + std::string(kCut);
    }
    if (behind.size() > kShownAround) {
      behind = behind.substr(0, kShownAround) + std::string(kCut);
    }
  }
  std::string result = "\n    " + before + fault + behind + "\n    ";
  result +=
      std::string(before.size(), ' ') + std::string(std::max<std::size_t>(fault.size(), 1), '^');
  if (!hint.empty()) {
    result += "   " + std::string(hint);
  }
  return result;
}

}  // namespace collet::loader
