// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <algorithm>
#include <string_view>

namespace collet::loader {
namespace {

class Parser : private Grammar {
 public:
  using Grammar::Grammar;

  std::vector<SelectorItem> parse() const {
    if (text().empty()) {
      refuse({0, 0}, "the selector is empty", "for instance \"cpu\", \"cpu:0\" or \"auto\"");
    }
    std::vector<SelectorItem> items;
    for (const TextRange range : split(text(), {0, text().size()}, ',')) {
      items.push_back(parse_item(range, items));
      refuse_duplicate(items, range);
    }
    return items;
  }

 private:
  [[nodiscard]] SelectorItem parse_item(TextRange range,
                                        const std::vector<SelectorItem>& before) const {
    if (range.length == 0) {
      // The caret stands under the comma that has nothing before it, or behind the last one.
      refuse({range.offset, range.offset < text().size() ? std::size_t{1} : 0},
             "an item of the list is empty", "remove the comma, or name a back end");
    }
    refuse_spaces(range);
    refuse_other_separators(range);
    const std::size_t colon = part(range).find(':');
    if (colon == std::string_view::npos && is_digits(part(range)) && !before.empty()) {
      refuse(range, in_quotes(part(range)) + " is no name of a back end",
             "did you mean " + in_quotes(before.back().backend + ":" + std::string(part(range))) +
                 "?");
    }
    SelectorItem item;
    item.backend_range = {range.offset, std::min(colon, range.length)};
    item.backend = backend(item.backend_range);
    if (colon != std::string_view::npos) {
      item.index_range = {range.offset + colon + 1, range.length - colon - 1};
      item.index = parse_index(item);
    }
    return item;
  }

  void refuse_other_separators(TextRange range) const {
    const std::size_t place = part(range).find_first_of(";|");
    if (place != std::string_view::npos) {
      refuse({range.offset + place, 1}, "the items of a selector are separated by \",\"",
             "write \",\" here");
    }
  }

  [[nodiscard]] std::uint32_t parse_index(const SelectorItem& item) const {
    const std::string_view digits = part(item.index_range);
    if (item.is_auto()) {
      refuse({item.index_range.offset - 1, digits.size() + 1}, "\"auto\" takes no index",
             "it chooses among all devices");
    }
    if (digits.empty()) {
      refuse({item.index_range.offset - 1, 1}, "the index after \":\" is missing",
             "for instance " + in_quotes(item.backend + ":0"));
    }
    if (digits == "*") {
      refuse(item.index_range, "\"*\" is no index",
             "did you mean " + in_quotes(item.backend) + "?");
    }
    const std::size_t dash = digits.find('-');
    if (dash != std::string_view::npos && is_digits(digits.substr(0, dash)) &&
        is_digits(digits.substr(dash + 1))) {
      refuse(item.index_range, "a selector has no ranges",
             "write the devices one by one, such as " + item.backend + ":0," + item.backend + ":1");
    }
    return index(item.index_range, item.backend + ":");
  }

  // The last item must not be the same as an earlier one.
  void refuse_duplicate(const std::vector<SelectorItem>& items, TextRange range) const {
    const SelectorItem& last = items.back();
    for (auto item = items.begin(); item + 1 != items.end(); ++item) {
      if (item->backend == last.backend && part(item->index_range) == part(last.index_range)) {
        refuse(range, in_quotes(part(range)) + " is listed twice", "remove it");
      }
    }
  }
};

}  // namespace

std::vector<SelectorItem> parse_selector(const Selector& selector,
                                         std::span<const std::string> known) {
  return Parser(selector, known).parse();
}

}  // namespace collet::loader
