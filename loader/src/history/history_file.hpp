// SPDX-License-Identifier: Apache-2.0
// A history of memory as a file; api/docs/memory-history.md describes it.
#pragma once

#include <string>

#include "history/memory_history.hpp"

namespace collet::loader {

// Replaces the file when the new one is whole. Throws IO.
void save_history(const HistorySnapshot& history, const std::string& path);

// COLLET_MEMORY_HISTORY: starts the history, and saves it when the process exits. Does nothing
// where the variable is not set.
void start_history_by_environment();

}  // namespace collet::loader
