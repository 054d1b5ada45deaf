// SPDX-License-Identifier: Apache-2.0
// Texts for a terminal: clean, aligned, wrapped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collet::cli {

// The text in one line of valid UTF-8: control characters and broken sequences become '?', line
// ends "; ". Texts of drivers are not to be trusted.
std::string clean(std::string_view text);

// The text, cut to `columns` characters with "..." where it is longer.
std::string shortened(const std::string& text, std::size_t columns);

// Rows of cells as lines, with each column as wide as its widest cell and a blank in front.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// Words in lines of at most `width` columns, all but the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

// Lines, all but the first indented, and each clean.
std::string indented(std::string_view text, std::size_t indent);

}  // namespace collet::cli
