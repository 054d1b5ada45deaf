// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the value of COLLET_SIM_FAULTS, COLLET_SIM_COSTS and the quantities of both.
#include <algorithm>
#include <collet/sdk/error.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "faults/fault_rule.hpp"
#include "quantity.hpp"
#include "time/costs.hpp"

namespace collet::sim {
namespace {

void expect(bool condition) {
  if (!condition) std::abort();
}

// Says something, fits on a screen, and is safe for a terminal.
template <class Parse>
void check(Parse&& parse) {
  try {
    parse();
  } catch (const plugin::Error& error) {
    const std::string text = error.what();
    expect(error.status() == COLLET_ERROR_MALFORMED);
    expect(text.starts_with('"') && text.size() > 20 && text.size() < 500);
    expect(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

void check_faults(const std::string& text) {
  for (const FaultRule& rule : parse_faults(text)) {
    expect(!rule.text.empty() && rule.first > 0 && rule.delay_ns >= 0);
    expect(std::all_of(rule.text.begin(), rule.text.end(), [](char c) { return c >= ' '; }));
    // A rule is for something.
    bool fits = rule.effect == Effect::kBudget;
    for (std::size_t i = 0; i < kKinds; ++i) {
      fits = fits || rule.fits(static_cast<Kind>(i), rule.device.value_or(0), rule.kernel);
    }
    expect(fits);
  }
}

void check_costs(const std::string& text) {
  const Costs costs = parse_costs(text);
  constexpr std::int64_t kLongest = std::int64_t{2} * 86'400'000'000'000;
  for (std::size_t i = 0; i < kKinds; ++i) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
      const Cost cost = costs.of({static_cast<Kind>(i), "", size});
      expect(cost.duration_ns >= 0 && cost.duration_ns <= kLongest);
    }
  }
}

}  // namespace
}  // namespace collet::sim

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::sim;  // NOLINT(google-build-using-namespace)
  const std::string text(reinterpret_cast<const char*>(data), size);
  check([&] { check_faults(text); });
  check([&] { check_costs(text); });
  expect(parse_duration_ns(text).value_or(0) >= 0);
  expect(parse_rate(text).value_or(1) > 0);
  static_cast<void>(parse_size(text));
  return 0;
}
