// SPDX-License-Identifier: Apache-2.0
#include "setting_text.hpp"

#include <algorithm>
#include <collet/sdk/error.hpp>

namespace collet::sim {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::pair<std::string_view, std::string_view> key_and_value(std::string_view item) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) return {item, {}};
  return {item.substr(0, equals), item.substr(equals + 1)};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown(text.substr(0, kLongest));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '.');
  return '"' + shown + (text.size() > kLongest ? "...\"" : "\"");
}

void refuse_item(std::string_view item, const std::string& what) {
  throw plugin::Error(COLLET_ERROR_MALFORMED, quoted(item) + ": " + what);
}

}  // namespace collet::sim
