// SPDX-License-Identifier: Apache-2.0
// `collet memory show`: what a history of memory says.
#pragma once

#include <string>

#include "memory/history_model.hpp"

namespace collet::cli {

// What the command prints.
std::string history_text(const History& history, const HistoryModel& model);

// The line that says whose history it is.
std::string history_title(const History& history, const HistoryModel& model);

// "cpu:0 (name), allocator "device", device memory"
std::string pool_title(const HistoryPool& pool);

// The call as a line: "train(int) at train.cpp:42", or what is known of it.
std::string call_text(const HistoryFrame& frame);

// The innermost call of the stack that is not of Collet's own; empty for no stack.
std::string caller_text(const History& history, std::size_t stack);

// "1.204 s"
std::string time_text(std::int64_t time_ns);

}  // namespace collet::cli
