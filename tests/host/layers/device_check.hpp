// SPDX-License-Identifier: Apache-2.0
// What a device that checks order itself says of the hazards that COLLET_LAYERS=validate finds.
#pragma once

#include <string>
#include <vector>

namespace collet::test {

// Whether the device of this program does so: a simulated one with COLLET_SIM_CHECK.
bool is_device_checking();

// Whether a line of the log is one of the device's checker.
bool is_of_device(const std::string& line);

// True if one of the device's lines names the two commands of what validate has said, by kind and
// stream; or if hazards of that kind are not for a device to see. Says what is missing.
bool device_names_both(const std::string& kind, const std::string& said,
                       const std::vector<std::string>& device_lines);

}  // namespace collet::test
