// SPDX-License-Identifier: Apache-2.0
#include "sync_report.hpp"

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "call_site.hpp"
#include "environment.hpp"
#include "error.hpp"
#include "grammar.hpp"
#include "log.hpp"

namespace collet::loader {
namespace {

std::atomic<SyncReport> setting{SyncReport::kOff};

}  // namespace

void read_sync_report() {
  const std::optional<std::string> text = variable("COLLET_SYNC");
  if (!text) {
    return;
  }
  const std::array<std::string, 3> names = {"off", "warn", "error"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (*text == names[i]) {
      setting.store(static_cast<SyncReport>(i), std::memory_order_relaxed);
      return;
    }
  }
  throw selector_error(COLLET_ERROR_MALFORMED, {"COLLET_SYNC", *text}, {0, text->size()},
                       in_quotes(*text) + " is not understood", "write off, warn or error");
}

void report_wait(std::string_view function, std::string_view what) {
  const SyncReport how = setting.load(std::memory_order_relaxed);
  if (how == SyncReport::kOff) [[likely]] {
    return;
  }
  const std::string text =
      "COLLET_SYNC: " + std::string(function) + " " + std::string(what) + ", in " + caller_text();
  if (how == SyncReport::kError) {
    throw Error(COLLET_ERROR_INVALID_STATE, text);
  }
  log(COLLET_LOG_WARN, text);
}

}  // namespace collet::loader
