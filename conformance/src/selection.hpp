// SPDX-License-Identifier: Apache-2.0
/** Which cases a run has. */
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "case.hpp"

namespace collet::conformance {

/** A mistake of whoever has started the program; the text says what to do. */
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** Whether a pattern means a case: by one of its clauses, with or without "PLUG-", or its name. */
[[nodiscard]] bool matches(std::string_view pattern, const Case& which);

/** @throws UsageError if the pattern looks like a clause and there is no such clause. */
void check_pattern(std::string_view pattern);

/**
 * The cases that any of the patterns means; all without patterns. Large cases only if asked for.
 *
 * @throws UsageError for a pattern that means no case, or where none is left.
 */
[[nodiscard]] std::vector<const Case*> select_cases(const std::vector<std::string>& patterns,
                                                    bool with_large);

}  // namespace collet::conformance
