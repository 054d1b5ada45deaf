// SPDX-License-Identifier: Apache-2.0
// Where log lines go: to the callback of the configuration, else to stderr or a file.
#pragma once

#include <collet/config.h>

#include <optional>
#include <string>
#include <string_view>

namespace collet::loader {

// The value of COLLET_LOG, taken apart.
struct LogSetting {
  collet_log_level_t level = COLLET_LOG_WARN;
  // Empty: stderr.
  std::string file;
};

// Parses "level" or "level:file"; nothing where the text is neither.
std::optional<LogSetting> parse_log_setting(std::string_view text);

// Starts logging, once per process. The callback wins over COLLET_LOG. A bad COLLET_LOG is one
// warning, and the default.
void start_log(collet_log_callback_t callback, void* user_data, collet_log_level_t level);

// True if lines of this level go somewhere.
[[nodiscard]] bool log_enabled(collet_log_level_t level) noexcept;

// Writes a line, if its level is enabled. Nothing is logged before start_log(). Never throws: a
// line that cannot be written is lost.
void log(collet_log_level_t level, std::string_view text) noexcept;

// The same when the process has run its static destructors: what a callback needs may be gone, so
// stderr gets its lines.
void log_at_exit(collet_log_level_t level, std::string_view text) noexcept;

}  // namespace collet::loader
