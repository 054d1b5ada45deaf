// SPDX-License-Identifier: Apache-2.0
// A history of memory as one page for a browser, which needs no other file and no network.
#pragma once

#include <string>

#include "memory/history_model.hpp"

namespace collet::cli {

std::string history_page(const History& history, const HistoryModel& model);

}  // namespace collet::cli
