// SPDX-License-Identifier: Apache-2.0
#include "pool/memory_settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <vector>

#include "bytes_text.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
// By PoolMode.
constexpr std::array<std::string_view, 3> kPoolModes = {"on", "off", "native"};

// Parses one text; every fault is MALFORMED, with a caret under it.
class Parser {
 public:
  explicit Parser(const Selector& written) : written_(written) {}

  MemorySettings parse() {
    if (written_.text.empty()) {
      return settings_;
    }
    for (const TextRange item : split(written_.text, {0, written_.text.size()}, ',')) {
      parse_item(item);
    }
    return settings_;
  }

 private:
  using Member = void (Parser::*)(TextRange value);
  struct Key {
    std::string_view name;
    Member parse;
  };
  static constexpr std::size_t kKeys = 4;
  static const std::array<Key, kKeys>& keys() {
    static constexpr std::array<Key, kKeys> kAll = {{{"pool", &Parser::pool},
                                                     {"limit", &Parser::limit},
                                                     {"max_split", &Parser::max_split},
                                                     {"divisions", &Parser::divisions}}};
    return kAll;
  }

  [[nodiscard]] std::string_view part(TextRange range) const {
    return std::string_view(written_.text).substr(range.offset, range.length);
  }

  [[noreturn]] void refuse(TextRange range, const std::string& what,
                           const std::string& hint) const {
    throw selector_error(COLLET_ERROR_MALFORMED, written_, range, what, hint);
  }

  void parse_item(TextRange item) {
    const std::string_view text = part(item);
    const std::size_t equals = text.find('=');
    const TextRange name{item.offset, std::min(equals, text.size())};
    if (name.length == 0) {
      refuse({item.offset, 0}, "the name of a setting is missing", "for instance \"limit=80%\"");
    }
    const auto* const key = std::find_if(
        keys().begin(), keys().end(), [&](const Key& known) { return known.name == part(name); });
    if (key == keys().end()) {
      refuse_key(name);
    }
    if (equals == std::string_view::npos) {
      refuse(item, in_quotes(text) + " has no value",
             "write " + in_quotes(std::string(text) + "="));
    }
    bool& is_seen = seen_[static_cast<std::size_t>(key - keys().begin())];
    if (is_seen) {
      refuse(name, in_quotes(part(name)) + " is given twice", "remove one of them");
    }
    is_seen = true;
    (this->*key->parse)({name.offset + name.length + 1, item.length - name.length - 1});
  }

  [[noreturn]] void refuse_key(TextRange name) const {
    std::vector<std::string> words;
    std::string list;
    for (const Key& key : keys()) {
      words.emplace_back(key.name);
      list += (list.empty() ? "" : ", ") + words.back();
    }
    const std::string meant = nearest(part(name), words);
    refuse(name, "there is no setting " + in_quotes(part(name)),
           meant.empty() ? "there are " + list : "did you mean " + in_quotes(meant) + "?");
  }

  // A decimal number that begins the value; its digits are cut off.
  std::uint64_t number(TextRange& value, const char* example) const {
    const std::string_view text = part(value);
    std::uint64_t result = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), result);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (length == 0) {
      refuse(value, "a number is missing", std::string("for instance ") + example);
    }
    if (fault != std::errc()) {
      refuse({value.offset, length}, "the number is too great", "");
    }
    value = {value.offset + length, value.length - length};
    return result;
  }

  std::uint64_t bytes(TextRange value, const char* example) const {
    TextRange unit = value;
    const std::uint64_t count = number(unit, example);
    const auto* const known = std::find(kUnits.begin(), kUnits.end(), part(unit));
    if (unit.length != 0 && known == kUnits.end()) {
      refuse(unit, in_quotes(part(unit)) + " is no unit", "there are B, KiB, MiB, GiB and TiB");
    }
    const auto power = unit.length == 0 ? 0 : known - kUnits.begin();
    std::uint64_t result = 0;
    if (__builtin_mul_overflow(count, std::uint64_t{1} << 10 * power, &result)) {
      refuse(value, "the size is too great", "");
    }
    return result;
  }

  void pool(TextRange value) {
    const auto* const known = std::find(kPoolModes.begin(), kPoolModes.end(), part(value));
    if (known == kPoolModes.end()) {
      refuse(value, in_quotes(part(value)) + " is none of \"on\", \"off\" and \"native\"", "");
    }
    settings_.pool = static_cast<PoolMode>(known - kPoolModes.begin());
  }

  void limit(TextRange value) {
    constexpr const char* kExample = "\"limit=80%\" or \"limit=4GiB\"";
    if (!part(value).ends_with('%')) {
      settings_.limit = {0, bytes(value, kExample)};
      return;
    }
    TextRange sign = value;
    const std::uint64_t percent = number(sign, kExample);
    if (sign.length != 1 || percent < 1 || percent > 100) {
      refuse(value, "a share is a whole number from 1% to 100%", kExample);
    }
    settings_.limit = {static_cast<std::uint32_t>(percent), 0};
  }

  void max_split(TextRange value) {
    settings_.max_split_bytes = bytes(value, "\"max_split=64MiB\"");
    if (settings_.max_split_bytes < kLeastSplitBytes) {
      refuse(value, "blocks of up to 20 MiB are always split", "write at least 20MiB");
    }
  }

  void divisions(TextRange value) {
    TextRange rest = value;
    const std::uint64_t count = number(rest, "\"divisions=4\"");
    if (rest.length != 0 || count > 64 || !std::has_single_bit(count)) {
      refuse(value, "divisions are 1, 2, 4, 8, 16, 32 or 64", "");
    }
    settings_.divisions = static_cast<std::uint32_t>(count);
  }

  static constexpr std::uint64_t kLeastSplitBytes = std::uint64_t{20} << 20;

  const Selector& written_;
  MemorySettings settings_;
  std::array<bool, kKeys> seen_{};
};

}  // namespace

MemorySettings parse_memory_settings(const Selector& written) { return Parser(written).parse(); }

std::string text_of(const MemorySettings& settings) {
  const auto size = [](std::uint64_t bytes) {
    return bytes == UINT64_MAX ? std::string("none") : bytes_text(bytes);
  };
  return "pool=" + std::string(kPoolModes.at(static_cast<std::size_t>(settings.pool))) +
         ", limit=" +
         (settings.limit.percent != 0 ? std::to_string(settings.limit.percent) + "%"
                                      : size(settings.limit.bytes)) +
         ", max_split=" + size(settings.max_split_bytes) +
         ", divisions=" + (settings.divisions == 0 ? "none" : std::to_string(settings.divisions));
}

}  // namespace collet::loader
