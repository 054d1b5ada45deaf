// SPDX-License-Identifier: Apache-2.0
/** The file of COLLET_SIM_REPORT. */
#pragma once

namespace collet::sim {

class System;

/** Writes the report when this process exits, though not a child of it. */
void report_at_exit(const System& system);

}  // namespace collet::sim
