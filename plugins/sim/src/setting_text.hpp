// SPDX-License-Identifier: Apache-2.0
/** Settings that are lists of items, as people write them. */
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collet::sim {

/** The parts of a text; there is always one, and each may be empty. */
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/** What stands before and behind the first "="; without one, the second is nullptr's view. */
[[nodiscard]] std::pair<std::string_view, std::string_view> key_and_value(std::string_view item);

/** A text between quotation marks, cut where it is long, with dots for what cannot be shown. */
[[nodiscard]] std::string quoted(std::string_view text);

/** @throws Error MALFORMED that shows the item, and says what is wrong with it. */
[[noreturn]] void refuse_item(std::string_view item, const std::string& what);

}  // namespace collet::sim
