// SPDX-License-Identifier: Apache-2.0
/** `explain` and `--list`. */
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "case.hpp"

namespace collet::conformance {

/** A clause, what its cases do, and what commonly breaks it. @throws UsageError if unknown */
void explain(std::ostream& out, const std::string& clause_id);

/** One line for each case, its fields separated by tabs: name, class, clauses, capabilities. */
void list_cases(std::ostream& out, const std::vector<const Case*>& cases);

}  // namespace collet::conformance
