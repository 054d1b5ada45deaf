// SPDX-License-Identifier: Apache-2.0
#include "bytes_text.hpp"

#include <cmath>
#include <cstdio>
#include <iterator>

namespace collet::loader {

std::string bytes_text(std::uint64_t bytes, int digits) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // What is nearer would be shown as 1024.
  const double least = 1024 - 0.5 * std::pow(10, -digits);
  while (value >= least && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", unit == 0 ? 0 : digits, value, kUnits[unit]);
  return text;
}

}  // namespace collet::loader
