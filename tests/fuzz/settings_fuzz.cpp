// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the value of COLLET_LOG, and as the name of a variable.
#include <cstdint>
#include <string>
#include <vector>

#include "log.hpp"
#include "refusal.hpp"
#include "variable_names.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto setting = parse_log_setting(text)) {
    fuzz::expect(setting->level <= COLLET_LOG_TRACE);
    fuzz::expect(setting->file.empty() || text.ends_with(":" + setting->file));
  }
  const std::vector<std::string> names = {text, "COLLET_" + text};
  const std::vector<std::string> backends = {"cpu", "my_npu"};
  for (const UnreadVariable& variable : unread_variables(names, backends)) {
    fuzz::expect(variable.meant.empty() || variable.meant.starts_with("COLLET_"));
    fuzz::expect(variable.meant != variable.name);
    fuzz::expect(!text_of(variable).empty());
  }
  return 0;
}
