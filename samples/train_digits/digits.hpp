// SPDX-License-Identifier: Apache-2.0
//
// The data: reading it, and dividing it into images to train on and images to test with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace digits {

inline constexpr std::size_t kImages = 1797;
inline constexpr std::size_t kPixels = 64;
inline constexpr std::size_t kClasses = 10;

struct Digits {
  // kPixels values from 0 to 16 for each image.
  std::vector<std::uint8_t> pixels;
  // A digit for each image.
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return labels.size(); }
};

// Says where in which file what is wrong, and what was expected there.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws DataError for anything but kImages lines of kPixels pixels and a digit, with commas
// between.
Digits parse_digits(std::string_view text, const std::string& name);

// Never reads more than the longest valid file has.
Digits read_digits(const std::string& path);

// The images at `indices`, in that order.
Digits select(const Digits& digits, std::span<const std::uint32_t> indices);

struct Split {
  Digits train;
  Digits test;
};
// By the list of test images that comes with the data.
Split split(const Digits& all);

}  // namespace digits
