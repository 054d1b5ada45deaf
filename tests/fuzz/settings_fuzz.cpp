// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the value of COLLET_LOG, COLLET_PROBE, COLLET_PLUGINS and COLLET_MEMORY, and as the
// name of a variable.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "allow_list.hpp"
#include "layers/layer_settings.hpp"
#include "log.hpp"
#include "pool/memory_settings.hpp"
#include "probe.hpp"
#include "refusal.hpp"
#include "variable_names.hpp"

namespace collet::loader {
namespace {

void check_probe_setting(const std::string& text) {
  try {
    const ProbeSetting setting = parse_probe_setting({"input", text});
    fuzz::expect(setting.deadline.count() > 0 && setting.deadline <= std::chrono::hours(1));
  } catch (const Error& error) {
    fuzz::expect_refusal(error);
  }
}

void check_allow_list(const std::string& text) {
  try {
    const AllowList list({"input", text});
    fuzz::expect(!list.names().empty());
    for (const std::string& name : list.names()) {
      fuzz::expect(list.allows(name));
    }
    fuzz::expect(!list.allows(""));
  } catch (const Error& error) {
    fuzz::expect_refusal(error);
  }
}

void check_memory_settings(const std::string& text) {
  constexpr std::uint64_t kUnit = 512;
  try {
    const MemorySettings settings = parse_memory_settings({"input", text});
    fuzz::expect(settings.limit.percent <= 100);
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{513}, std::uint64_t{1} << 40}) {
      const std::uint64_t rounded = settings.rounded(size, kUnit);
      fuzz::expect(rounded >= size && rounded % kUnit == 0 && rounded != 0);
      fuzz::expect(settings.limit.of(size) <= size || settings.limit.percent == 0);
    }
    fuzz::expect(!text_of(settings).empty());
  } catch (const Error& error) {
    fuzz::expect_refusal(error);
  }
}

void check_layers(const std::string& text) {
  LayerSettings settings;
  try {
    parse_layers({"input", text}, settings);
    fuzz::expect(settings.is_validating == !text.empty());
  } catch (const Error& error) {
    fuzz::expect_refusal(error);
  }
}

}  // namespace
}  // namespace collet::loader

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto setting = parse_log_setting(text)) {
    fuzz::expect(setting->level <= COLLET_LOG_TRACE);
    fuzz::expect(setting->file.empty() || text.ends_with(":" + setting->file));
  }
  check_probe_setting(text);
  check_allow_list(text);
  check_memory_settings(text);
  check_layers(text);
  const std::vector<std::string> names = {text, "COLLET_" + text};
  const std::vector<std::string> backends = {"cpu", "my_npu"};
  for (const UnreadVariable& variable : unread_variables(names, backends)) {
    fuzz::expect(variable.meant.empty() || variable.meant.starts_with("COLLET_"));
    fuzz::expect(variable.meant != variable.name);
    fuzz::expect(!text_of(variable).empty());
  }
  return 0;
}
