// SPDX-License-Identifier: Apache-2.0
// `collet doctor`: looks at everything that decides whether programs find their device.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"

namespace collet::cli {

struct Diagnosis {
  Report report;
  // What the library warned of meanwhile.
  std::vector<std::string> warnings;
  // What has to be done, most urgent first; empty where all is well.
  std::vector<std::string> to_do;
};

// Loads all back ends and opens the default device. Must come before any other use of Collet: it
// takes the log.
Diagnosis diagnose();

std::string doctor_text(const Diagnosis& diagnosis);
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace collet::cli
