// SPDX-License-Identifier: Apache-2.0
// What the commands print with --json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report.hpp"

namespace collet::cli {

// Keeps the order in which the keys are written.
using Json = nlohmann::ordered_json;

// Versions, back ends, devices and the selection.
Json json_report(const Report& report);

// The text, ended by a line end. A driver's text that is not UTF-8 does not end the program.
std::string json_text(const Json& json);

}  // namespace collet::cli
