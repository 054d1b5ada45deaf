// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of the digits: the parser takes them, or refuses them with a place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "train_digits/digits.hpp"

namespace {

bool is_valid(const digits::Digits& parsed) {
  return parsed.size() == digits::kImages &&
         parsed.pixels.size() == digits::kImages * digits::kPixels &&
         std::all_of(parsed.pixels.begin(), parsed.pixels.end(), [](auto x) { return x <= 16; }) &&
         std::all_of(parsed.labels.begin(), parsed.labels.end(), [](auto x) { return x <= 9; });
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    if (!is_valid(digits::parse_digits(text, "input"))) std::abort();
  } catch (const digits::DataError& error) {
    const std::string_view message = error.what();
    if (message.substr(0, 6) != "input:" || message.find(": expected ") > message.size()) {
      std::abort();
    }
  }
  return 0;
}
