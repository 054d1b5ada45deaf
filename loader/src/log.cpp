// SPDX-License-Identifier: Apache-2.0
// The only file that knows spdlog.
#include "log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <memory>
#include <utility>

#include "environment.hpp"
#include "process.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

struct Log {
  collet_log_level_t level = COLLET_LOG_WARN;
  collet_log_callback_t callback = nullptr;
  void* user_data = nullptr;
  // Not registered with spdlog, whose registry ends before the process's last log line.
  std::unique_ptr<spdlog::logger> logger;
};

// Set once and never destroyed: plugins may log from threads that outlive static objects.
std::atomic<Log*> current{nullptr};

constexpr std::pair<std::string_view, collet_log_level_t> kLevels[] = {
    {"off", COLLET_LOG_OFF},   {"error", COLLET_LOG_ERROR}, {"warn", COLLET_LOG_WARN},
    {"info", COLLET_LOG_INFO}, {"debug", COLLET_LOG_DEBUG}, {"trace", COLLET_LOG_TRACE},
};

spdlog::level::level_enum spdlog_level(collet_log_level_t level) {
  switch (level) {
    case COLLET_LOG_ERROR:
      return spdlog::level::err;
    case COLLET_LOG_WARN:
      return spdlog::level::warn;
    case COLLET_LOG_INFO:
      return spdlog::level::info;
    case COLLET_LOG_DEBUG:
      return spdlog::level::debug;
    case COLLET_LOG_TRACE:
      return spdlog::level::trace;
    case COLLET_LOG_OFF:
    case COLLET_LOG_LEVEL_MAX:
      break;
  }
  return spdlog::level::off;
}

std::unique_ptr<spdlog::logger> make_logger(spdlog::sink_ptr sink, const char* pattern) {
  sink->set_pattern(pattern);
  auto logger = std::make_unique<spdlog::logger>("collet", std::move(sink));
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

std::unique_ptr<spdlog::logger> stderr_logger() {
  return make_logger(std::make_shared<spdlog::sinks::stderr_sink_mt>(), "collet: %l: %v");
}

std::unique_ptr<spdlog::logger> file_logger(const std::string& file) {
  return make_logger(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file),
                     "%Y-%m-%d %H:%M:%S.%e [%P:%t] %l: %v");
}

// COLLET_LOG, or the default. What is wrong with it is to be logged when logging works.
LogSetting environment_setting(std::string& fault) {
  const std::optional<std::string> text = variable("COLLET_LOG");
  if (!text) {
    return {};
  }
  const std::optional<LogSetting> setting = parse_log_setting(*text);
  if (!setting) {
    fault = "COLLET_LOG: " + in_quotes(*text) +
            " is not understood, and warn is used; write off, error, warn, info, debug or trace, "
            "and optionally a file behind it, such as debug:/tmp/collet.log";
  }
  return setting.value_or(LogSetting{});
}

void follow(const LogSetting& setting, Log& log, std::string& fault) {
  log.logger = stderr_logger();
  log.level = setting.level;
  if (setting.file.empty()) {
    return;
  }
  try {
    log.logger = file_logger(setting.file);
  } catch (const spdlog::spdlog_ex& error) {
    fault =
        "COLLET_LOG: stderr is used, since the file cannot be opened: " + std::string(error.what());
  }
}

}  // namespace

std::optional<LogSetting> parse_log_setting(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  LogSetting setting;
  if (colon != std::string_view::npos) {
    setting.file = text.substr(colon + 1);
    if (setting.file.empty()) {
      return std::nullopt;
    }
  }
  for (const auto& [known, level] : kLevels) {
    if (name == known) {
      setting.level = level;
      return setting;
    }
  }
  return std::nullopt;
}

void start_log(collet_log_callback_t callback, void* user_data, collet_log_level_t level) {
  auto log = std::make_unique<Log>();
  std::string fault;
  const LogSetting setting = environment_setting(fault);
  if (callback != nullptr) {
    log->level = level == COLLET_LOG_OFF ? COLLET_LOG_WARN : level;
    log->callback = callback;
    log->user_data = user_data;
  } else {
    follow(setting, *log, fault);
  }
  current.store(log.release(), std::memory_order_release);
  if (!fault.empty()) {
    collet::loader::log(COLLET_LOG_WARN, fault);
  }
}

bool log_enabled(collet_log_level_t level) noexcept {
  const Log* log = current.load(std::memory_order_acquire);
  return log != nullptr && level > COLLET_LOG_OFF && level <= log->level;
}

void log(collet_log_level_t level, std::string_view text) noexcept {
  if (!log_enabled(level)) {
    return;
  }
  Log* log = current.load(std::memory_order_acquire);
  // A callback that calls Collet is refused, instead of waiting for itself.
  const CallbackScope scope;
  try {
    const std::string line = one_line(text);
    if (log->callback != nullptr) {
      log->callback(log->user_data, level, line.c_str());
    } else {
      log->logger->log(spdlog_level(level), spdlog::string_view_t(line));
    }
  } catch (...) {
    // There is nowhere left to say it.
    return;
  }
}

void log_at_exit(collet_log_level_t level, std::string_view text) noexcept {
  const Log* log = current.load(std::memory_order_acquire);
  if (log == nullptr || log->callback == nullptr) {
    collet::loader::log(level, text);
    return;
  }
  if (log_enabled(level)) {
    try {
      stderr_logger()->log(spdlog_level(level), spdlog::string_view_t(one_line(text)));
    } catch (...) {
      return;
    }
  }
}

}  // namespace collet::loader
