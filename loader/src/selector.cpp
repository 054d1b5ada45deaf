// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "discovery.hpp"

namespace collet::loader {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; }
bool is_space(char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; }

// The value of digits; what does not fit is the greatest value.
std::uint32_t saturated(std::string_view digits) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t value = 0;
  for (const char digit : digits) {
    value = std::min(kMax, value * 10 + static_cast<std::uint64_t>(digit - '0'));
  }
  return static_cast<std::uint32_t>(value);
}

class Parser {
 public:
  Parser(const Selector& selector, std::span<const std::string> known)
      : selector_(selector), text_(selector.text), known_(known) {}

  std::vector<SelectorItem> parse() const {
    if (text_.empty()) {
      refuse({0, 0}, "the selector is empty", "for instance \"cpu\", \"cpu:0\" or \"auto\"");
    }
    std::vector<SelectorItem> items;
    std::size_t start = 0;
    for (std::size_t end = 0; end != std::string_view::npos; start = end + 1) {
      end = text_.find(',', start);
      const std::size_t stop = end == std::string_view::npos ? text_.size() : end;
      items.push_back(parse_item({start, stop - start}));
      refuse_duplicate(items, {start, stop - start});
    }
    return items;
  }

 private:
  [[nodiscard]] std::string_view part(TextRange range) const {
    return text_.substr(range.offset, range.length);
  }

  [[noreturn]] void refuse(TextRange range, const std::string& what,
                           const std::string& hint) const {
    throw selector_error(COLLET_ERROR_MALFORMED, selector_, range, what, hint);
  }

  [[nodiscard]] SelectorItem parse_item(TextRange range) const {
    if (range.length == 0) {
      // The caret stands under the comma that has nothing before it, or behind the last one.
      refuse({range.offset, range.offset < text_.size() ? std::size_t{1} : 0},
             "an item of the list is empty", "remove the comma, or name a back end");
    }
    refuse_spaces(range);
    const std::size_t colon = part(range).find(':');
    SelectorItem item;
    item.backend_range = {range.offset, std::min(colon, range.length)};
    check_name(item.backend_range);
    item.backend = part(item.backend_range);
    if (colon != std::string_view::npos) {
      item.index_range = {range.offset + colon + 1, range.length - colon - 1};
      check_index(item);
      item.index = saturated(part(item.index_range));
    }
    return item;
  }

  void refuse_spaces(TextRange range) const {
    const std::string_view item = part(range);
    const auto* const space = std::find_if(item.begin(), item.end(), is_space);
    if (space != item.end()) {
      const auto place = static_cast<std::size_t>(space - item.begin());
      refuse({range.offset + place, 1}, "there are no spaces in a selector", "remove it");
    }
  }

  void check_name(TextRange range) const {
    const std::string_view name = part(range);
    if (name.empty()) {
      refuse({range.offset, 1}, "the name of the back end is missing", "for instance \"cpu:0\"");
    }
    const auto* const bad =
        std::find_if_not(name.begin(), name.end(), [](char c) { return is_name_character(c); });
    if (bad != name.end() || is_digit(name.front()) || name.front() == '_') {
      std::string hint = did_you_mean(name, known_);
      refuse(range, in_quotes(name) + " is no name of a back end",
             hint.empty()
                 ? "names are lower-case letters, digits and \"_\", and begin with a letter"
                 : hint);
    }
    if (!is_backend_name(name)) {
      refuse(range, "the name is too long for a back end", "");
    }
  }

  void check_index(const SelectorItem& item) const {
    const std::string_view digits = part(item.index_range);
    if (item.is_auto()) {
      refuse({item.index_range.offset - 1, digits.size() + 1}, "\"auto\" takes no index",
             "it chooses among all devices");
    }
    if (digits.empty()) {
      refuse({item.index_range.offset - 1, 1}, "the index after \":\" is missing",
             "for instance " + in_quotes(item.backend + ":0"));
    }
    if (!std::all_of(digits.begin(), digits.end(), is_digit)) {
      refuse(item.index_range, in_quotes(digits) + " is no index", "an index is 0, 1, 2, ...");
    }
    if (digits.size() > 1 && digits.front() == '0') {
      const std::size_t nonzero = std::min(digits.find_first_not_of('0'), digits.size() - 1);
      refuse(item.index_range, "an index has no leading zeros",
             "did you mean " + in_quotes(item.backend + ":" + std::string(digits.substr(nonzero))) +
                 "?");
    }
  }

  // The last item must not be the same as an earlier one.
  void refuse_duplicate(const std::vector<SelectorItem>& items, TextRange range) const {
    const SelectorItem& last = items.back();
    for (auto item = items.begin(); item + 1 != items.end(); ++item) {
      if (item->backend == last.backend && part(item->index_range) == part(last.index_range)) {
        refuse(range, in_quotes(part(range)) + " is listed twice", "");
      }
    }
  }

  const Selector& selector_;
  const std::string_view text_;
  const std::span<const std::string> known_;
};

}  // namespace

std::vector<SelectorItem> parse_selector(const Selector& selector,
                                         std::span<const std::string> known) {
  return Parser(selector, known).parse();
}

Error selector_error(collet_status_t status, const Selector& selector, TextRange range,
                     const std::string& what, const std::string& hint) {
  return {status, selector.origin + ": " + what + with_caret(selector.text, range, hint)};
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  std::vector<std::string> words(known.begin(), known.end());
  words.emplace_back("auto");
  const std::string word = nearest(name, words);
  return word.empty() ? word : "did you mean " + in_quotes(word) + "?";
}

}  // namespace collet::loader
