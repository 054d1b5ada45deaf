// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <collet/sdk/host.hpp>
#include <string>
#include <string_view>

#include "quantity.hpp"

namespace collet::sim {
namespace {

constexpr std::int64_t kMostDevices = 64;
constexpr std::int64_t kDefaultDevices = 2;
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 40U;
constexpr std::uint64_t kDefaultMemory = std::uint64_t{1} << 30U;

std::uint64_t memory_of_device() {
  const std::uint64_t asked =
      plugin::host().size_option("memory", kLeastMemory, kMostMemory).value_or(kDefaultMemory);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (asked + page - 1) & ~(page - 1);
}

/** The index of the word that an option is; 0 where it is not set. */
template <std::size_t N>
std::size_t word_option(const char* name, const std::array<std::string_view, N>& words) {
  const auto text = plugin::host().option(name);
  if (!text) return 0;
  const auto* const found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string expected;
  for (const std::string_view word : words) {
    expected += (expected.empty() ? "\"" : word == words.back() ? "\" or \"" : "\", \"");
    expected += word;
  }
  plugin::host().refuse_option(name, *text, expected + "\"");
}

std::int64_t duration_option(const char* name, std::int64_t otherwise) {
  const auto text = plugin::host().option(name);
  if (!text) return otherwise;
  if (const auto duration = parse_duration_ns(*text)) return *duration;
  plugin::host().refuse_option(name, *text, kDurationExample);
}

ScheduleSettings schedule_settings() {
  constexpr std::array<std::string_view, 3> kOrders = {"eager", "lazy", "random"};
  ScheduleSettings settings;
  settings.order = static_cast<Order>(word_option("schedule", kOrders));
  settings.patience_ns = duration_option("patience", settings.patience_ns);
  settings.seed =
      static_cast<std::uint64_t>(plugin::host().integer_option("seed", 0, INT64_MAX).value_or(0));
  return settings;
}

/** @throws Error MALFORMED that names the variable, for what the parser refuses. */
template <class Parser>
auto parsed(const char* variable, std::string_view text, Parser&& parse) {
  try {
    return parse(text);
  } catch (const plugin::Error& e) {
    throw plugin::Error(e.status(), std::string(variable) + ", at " + e.what());
  }
}

std::optional<Costs> cost_settings() {
  constexpr std::array<std::string_view, 2> kClocks = {"real", "virtual"};
  const bool is_virtual = word_option("clock", kClocks) == 1;
  const auto text = plugin::host().option("costs");
  if (text && !is_virtual) {
    throw plugin::Error(COLLET_ERROR_MALFORMED,
                        "COLLET_SIM_COSTS is set, but real time has its own costs; set "
                        "COLLET_SIM_CLOCK to virtual, or unset it");
  }
  if (!is_virtual) return std::nullopt;
  return text ? parsed("COLLET_SIM_COSTS", *text, parse_costs) : Costs();
}

}  // namespace

Settings Settings::read() {
  Settings settings;
  settings.device_count = static_cast<std::uint32_t>(
      plugin::host().integer_option("devices", 0, kMostDevices).value_or(kDefaultDevices));
  settings.memory_bytes = memory_of_device();
  settings.schedule = schedule_settings();
  settings.costs = cost_settings();
  if (const auto text = plugin::host().option("faults")) {
    settings.faults = parsed("COLLET_SIM_FAULTS", *text, parse_faults);
  }
  constexpr std::array<std::string_view, 3> kChecks = {"off", "warn", "fail"};
  settings.check = static_cast<Check>(word_option("check", kChecks));
  settings.report = plugin::host().option("report").value_or("");
  return settings;
}

}  // namespace collet::sim
