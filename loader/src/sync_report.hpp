// SPDX-License-Identifier: Apache-2.0
// COLLET_SYNC: makes the calls visible that may wait for a device although nobody says so.
#pragma once

#include <string_view>

namespace collet::loader {

enum class SyncReport { kOff, kWarn, kError };

// Takes the variable. Throws MALFORMED.
void read_sync_report();

// For a call that is about to wait, "waits for all earlier work of the stream". Logs it with its
// place, or throws INVALID_STATE, or does nothing.
void report_wait(std::string_view function, std::string_view what);

}  // namespace collet::loader
