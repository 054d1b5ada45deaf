// SPDX-License-Identifier: Apache-2.0
// What the fuzzers of the loader's parsers expect of an error.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

#include "error.hpp"

namespace collet::loader::fuzz {

inline void expect(bool condition) {
  if (!condition) std::abort();
}

// Names its origin, has a caret, fits on a screen, and is safe for a terminal.
inline void expect_refusal(const Error& error) {
  const std::string& text = error.message();
  expect(error.status() == COLLET_ERROR_MALFORMED || error.status() == COLLET_ERROR_NO_SUCH_DEVICE);
  expect(text.starts_with("input: ") && text.find('^') != std::string::npos);
  expect(text.size() < 1000);
  expect(std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n'; }));
}

}  // namespace collet::loader::fuzz
