// SPDX-License-Identifier: Apache-2.0
#include "digits.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace digits {
namespace {

constexpr unsigned kMaxPixel = 16;
constexpr unsigned kMaxLabel = kClasses - 1;
constexpr std::size_t kValues = kPixels + 1;
// Pixels of two places with their commas, the label, the line end.
constexpr std::size_t kMaxFileBytes = kImages * (kPixels * 3 + 2);

// In ascending order.
constexpr std::array<std::uint32_t, 360> kTestIndices{
#include "data/test_indices.csv"
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Digits parse() {
    Digits digits;
    digits.pixels.reserve(kImages * kPixels);
    digits.labels.reserve(kImages);
    for (line_ = 1; line_ <= kImages; ++line_) {
      line_start_ = position_;
      if (at_end()) fail("line " + std::to_string(line_) + " of " + std::to_string(kImages));
      for (std::size_t i = 0; i < kPixels; ++i) {
        digits.pixels.push_back(value(i + 1, kMaxPixel, "a pixel"));
        skip(',', "a comma, and " + std::to_string(kValues) + " values in the line");
      }
      digits.labels.push_back(value(kValues, kMaxLabel, "the digit"));
      skip('\n', "the end of the line after " + std::to_string(kValues) + " values");
    }
    line_start_ = position_;
    if (!at_end()) fail("the end of the file after " + std::to_string(kImages) + " lines");
    return digits;
  }

 private:
  bool at_end() const { return position_ == text_.size(); }

  bool at_decimal() const {
    return !at_end() && text_[position_] >= '0' && text_[position_] <= '9';
  }

  std::uint8_t value(std::size_t number, unsigned greatest, const char* what) {
    const std::size_t start = position_;
    unsigned value = 0;
    // One place more than a value may have, so that what is too large is seen to be so.
    while (at_decimal() && position_ - start < 3) {
      value = value * 10 + static_cast<unsigned>(text_[position_++] - '0');
    }
    const bool padded = position_ - start > 1 && text_[start] == '0';
    if (position_ == start || padded || value > greatest) {
      position_ = start;
      fail(std::string(what) + " from 0 to " + std::to_string(greatest) + " as value " +
           std::to_string(number) + " of " + std::to_string(kValues));
    }
    return static_cast<std::uint8_t>(value);
  }

  void skip(char wanted, const std::string& expected) {
    if (at_end() || text_[position_] != wanted) fail(expected);
    ++position_;
  }

  std::string found() const {
    if (at_end()) return "the end of the file";
    if (text_[position_] == '\n') return "the end of the line";
    const auto is_shown = [this](std::size_t at) {
      return at < text_.size() && text_[at] > ' ' && text_[at] <= '~';
    };
    if (is_shown(position_)) {
      std::size_t size = 1;
      // The rest of the value; a comma stands alone.
      while (text_[position_] != ',' && size < 12 && is_shown(position_ + size) &&
             text_[position_ + size] != ',') {
        ++size;
      }
      return '"' + std::string(text_.substr(position_, size)) + '"';
    }
    std::array<char, 16> byte{};
    std::snprintf(byte.data(), byte.size(), "byte 0x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(text_[position_])));
    return byte.data();
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw DataError(name_ + ":" + std::to_string(line_) + ":" +
                    std::to_string(position_ - line_start_ + 1) + ": expected " + expected +
                    ", found " + found());
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t position_ = 0;
  std::size_t line_ = 0;
  std::size_t line_start_ = 0;
};

}  // namespace

Digits parse_digits(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

Digits read_digits(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  // One byte more than a valid file has, so that the parser sees where a longer one goes wrong.
  std::string text(kMaxFileBytes + 1, '\0');
  if (file) text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (!file || std::ferror(file.get()) != 0) {
    throw DataError(path + ": cannot be read (" + std::strerror(errno) + "); expected " +
                    std::to_string(kImages) + " lines of " + std::to_string(kValues) + " values");
  }
  return parse_digits(text, path);
}

Digits select(const Digits& digits, std::span<const std::uint32_t> indices) {
  Digits selected;
  selected.pixels.reserve(indices.size() * kPixels);
  selected.labels.reserve(indices.size());
  for (const std::uint32_t index : indices) {
    const auto pixels = std::span(digits.pixels).subspan(index * kPixels, kPixels);
    selected.pixels.insert(selected.pixels.end(), pixels.begin(), pixels.end());
    selected.labels.push_back(digits.labels[index]);
  }
  return selected;
}

Split split(const Digits& all) {
  std::vector<std::uint32_t> train;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!std::binary_search(kTestIndices.begin(), kTestIndices.end(), i)) train.push_back(i);
  }
  return {select(all, train), select(all, kTestIndices)};
}

}  // namespace digits
