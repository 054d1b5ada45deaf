// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "random.hpp"

namespace collet::conformance {

Bytes payload(std::size_t size, std::uint64_t salt) {
  constexpr std::size_t kWord = 8;
  Bytes bytes(size);
  const std::uint64_t salted = mix(salt + 1);
  for (std::size_t at = 0; at < size; at += kWord) {
    std::uint64_t word = mix(salted ^ at);
    for (std::size_t i = at; i < std::min(at + kWord, size); ++i, word >>= 8) {
      bytes[i] = static_cast<std::uint8_t>(word);
    }
  }
  return bytes;
}

Bytes complement(const Bytes& bytes) {
  Bytes out(bytes.size());
  std::transform(bytes.begin(), bytes.end(), out.begin(),
                 [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
  return out;
}

void put(Bytes& bytes, std::size_t offset, const Bytes& part) {
  std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

Bytes part_of(const Bytes& bytes, std::size_t offset, std::size_t size) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

std::optional<std::string> difference(const Bytes& seen, const Bytes& expected) {
  if (seen.size() != expected.size()) {
    return std::to_string(seen.size()) + " bytes, expected " + std::to_string(expected.size());
  }
  std::size_t first = seen.size();
  std::size_t last = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == expected[i]) continue;
    if (count++ == 0) first = i;
    last = i;
  }
  if (count == 0) return std::nullopt;
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "byte %zu of %zu is 0x%02x, expected 0x%02x (%zu bytes differ, the last is %zu)",
                first, seen.size(), seen[first], expected[first], count, last);
  return text.data();
}

void expect_bytes(const Bytes& seen, const Bytes& expected, std::string_view what, Place place) {
  if (seen == expected) return;
  fail(std::string(what) + ": " + difference(seen, expected).value_or(""), place);
}

}  // namespace collet::conformance
