// SPDX-License-Identifier: Apache-2.0
// Tables of devices and of candidates for back ends, for people.
#pragma once

#include <string>

#include "report.hpp"

namespace collet::cli {

// What `collet devices` prints.
std::string devices_text(const Report& report);

// A row for each device, and for each back end without devices.
std::string device_table(const Report& report);

// A row for each device: logical and physical id, PCI address, uuid.
std::string map_table(const Report& report);

// A block for each candidate: its verdict, and all that is known about it.
std::string candidates_text(const Report& report);

}  // namespace collet::cli
