// SPDX-License-Identifier: Apache-2.0
#include "train_digits/digits.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

std::string valid_text() {
  std::ifstream file(DIGITS_CSV, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string fault_of(const std::string& text) {
  try {
    digits::parse_digits(text, "x.csv");
  } catch (const digits::DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST_CASE("parse_digits reads every image of the data that comes with the program") {
  const digits::Digits all = digits::parse_digits(valid_text(), "digits.csv");
  REQUIRE(all.size() == digits::kImages);
  CHECK(all.pixels.size() == digits::kImages * digits::kPixels);
  CHECK(std::vector<std::uint8_t>(all.pixels.begin(), all.pixels.begin() + 5) ==
        std::vector<std::uint8_t>{0, 0, 5, 13, 9});
  CHECK(all.labels[0] == 0);
  CHECK(all.labels.back() == 8);
  CHECK(*std::max_element(all.pixels.begin(), all.pixels.end()) == 16);
  CHECK(digits::read_digits(DIGITS_CSV).labels == all.labels);
}

TEST_CASE("parse_digits says what it expected, and what it found") {
  const std::string text = valid_text();
  const std::string rest = text.substr(1);
  CHECK(fault_of("") == "x.csv:1:1: expected line 1 of 1797, found the end of the file");
  CHECK(fault_of("17" + rest) ==
        "x.csv:1:1: expected a pixel from 0 to 16 as value 1 of 65, found \"17\"");
  CHECK(fault_of(std::string(1, '\0') + rest) ==
        "x.csv:1:1: expected a pixel from 0 to 16 as value 1 of 65, found byte 0x00");
  CHECK(fault_of("\n") ==
        "x.csv:1:1: expected a pixel from 0 to 16 as value 1 of 65, found the end of the line");
  CHECK(fault_of("0;" + rest) ==
        "x.csv:1:2: expected a comma, and 65 values in the line, found \";\"");
  CHECK(fault_of(text + "0") ==
        "x.csv:1798:1: expected the end of the file after 1797 lines, found \"0\"");
}

TEST_CASE("parse_digits refuses every prefix of a line") {
  const std::string text = valid_text();
  const std::size_t end = text.find('\n');
  for (std::size_t size = 0; size <= end; ++size) {
    const std::string fault = fault_of(text.substr(0, size));
    INFO(fault);
    CHECK(fault.find("found the end of the file") != std::string::npos);
  }
}

TEST_CASE("split divides the images into 1437 and 360, in their order, none twice") {
  digits::Digits all;
  for (std::size_t i = 0; i < digits::kImages; ++i) {
    // Two pixels that tell which image it is.
    std::vector<std::uint8_t> image(digits::kPixels);
    image[0] = static_cast<std::uint8_t>(i / 256);
    image[1] = static_cast<std::uint8_t>(i % 256);
    all.pixels.insert(all.pixels.end(), image.begin(), image.end());
    all.labels.push_back(static_cast<std::uint8_t>(i % 10));
  }
  const digits::Split parts = digits::split(all);
  CHECK(parts.train.size() == 1437);
  CHECK(parts.test.size() == 360);

  std::vector<bool> seen(digits::kImages);
  for (const digits::Digits* part : {&parts.train, &parts.test}) {
    for (std::size_t i = 0; i < part->size(); ++i) {
      const auto* image = &part->pixels[i * digits::kPixels];
      const std::size_t index = image[0] * 256U + image[1];
      seen[index] = !seen[index];
      CHECK(part->labels[i] == index % 10);
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), true) == 1797);
}

}  // namespace
