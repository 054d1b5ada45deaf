// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include "support/catch.hpp"

namespace collet::loader {
namespace {

TEST_CASE("log: each level has a name") {
  CHECK(parse_log_setting("off").value().level == COLLET_LOG_OFF);
  CHECK(parse_log_setting("error").value().level == COLLET_LOG_ERROR);
  CHECK(parse_log_setting("warn").value().level == COLLET_LOG_WARN);
  CHECK(parse_log_setting("info").value().level == COLLET_LOG_INFO);
  CHECK(parse_log_setting("debug").value().level == COLLET_LOG_DEBUG);
  CHECK(parse_log_setting("trace").value().level == COLLET_LOG_TRACE);
  CHECK(parse_log_setting("warn").value().file.empty());
}

TEST_CASE("log: what follows the first colon is a file") {
  const LogSetting setting = parse_log_setting("debug:/tmp/a:b.log").value();
  CHECK(setting.level == COLLET_LOG_DEBUG);
  CHECK(setting.file == "/tmp/a:b.log");
}

TEST_CASE("log: everything else is refused") {
  const std::string text = GENERATE("", "verbose", "WARN", "warn ", " warn", "warn:", ":file", "3",
                                    "warning", "debug,file");
  CHECK_FALSE(parse_log_setting(text).has_value());
}

}  // namespace
}  // namespace collet::loader
