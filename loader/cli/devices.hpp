// SPDX-License-Identifier: Apache-2.0
// `collet devices`: the report as a table for people, and as JSON for programs.
#pragma once

#include <string>

#include "report.hpp"

namespace collet::cli {

std::string table_of(const Report& report);
std::string json_of(const Report& report);

}  // namespace collet::cli
