// SPDX-License-Identifier: Apache-2.0
#include "costs.hpp"

#include "../quantity.hpp"
#include "../setting_text.hpp"

namespace collet::sim {
namespace {

__extension__ using Wide = unsigned __int128;

/** Rounded up. A day at most, so that sums of them fit. */
std::int64_t duration_ns(std::uint64_t size_bytes, std::uint64_t bytes_per_second) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  constexpr std::uint64_t kDayNs = 86'400 * kNsPerSecond;
  const Wide duration = (Wide{size_bytes} * kNsPerSecond + bytes_per_second - 1) / bytes_per_second;
  return static_cast<std::int64_t>(duration < kDayNs ? duration : kDayNs);
}

void read_item(std::string_view item, Costs& costs) {
  const auto [key, value] = key_and_value(item);
  if (value.data() == nullptr) refuse_item(item, "\"=\" and a value are missing");
  const auto rate = [&, text = value] {
    const auto parsed = parse_rate(text);
    if (!parsed) refuse_item(item, std::string("the value must be ") + kRateExample);
    return *parsed;
  };
  const auto duration = [&, text = value] {
    const auto parsed = parse_duration_ns(text);
    if (!parsed) refuse_item(item, std::string("the value must be ") + kDurationExample);
    return *parsed;
  };
  constexpr std::string_view kLaunchOf = "launch:";
  if (key == "to_device") {
    costs.to_device = rate();
  } else if (key == "from_device") {
    costs.from_device = rate();
  } else if (key == "memory") {
    costs.memory = rate();
  } else if (key == "peer") {
    costs.peer = rate();
  } else if (key == "latency") {
    costs.latency_ns = duration();
  } else if (key == "launch") {
    costs.launch_ns = duration();
  } else if (key.starts_with(kLaunchOf) && key.size() > kLaunchOf.size()) {
    costs.launch_of_ns.insert_or_assign(std::string(key.substr(kLaunchOf.size())), duration());
  } else {
    refuse_item(item,
                "there are to_device, from_device, memory, peer, latency, launch and "
                "launch:KERNEL");
  }
}

}  // namespace

Cost Costs::of(const Work& work) const {
  if (!does_work(work.kind)) return {};
  if (work.kind == Kind::kLaunch) {
    const auto own = launch_of_ns.find(std::string_view(work.subject));
    return {Unit::kCompute, own == launch_of_ns.end() ? launch_ns : own->second};
  }
  switch (work.path) {
    case Path::kToDevice:
      return {Unit::kToDevice, latency_ns + duration_ns(work.size_bytes, to_device)};
    case Path::kFromDevice:
      return {Unit::kFromDevice, latency_ns + duration_ns(work.size_bytes, from_device)};
    case Path::kToPeer:
      return {Unit::kToPeers, latency_ns + duration_ns(work.size_bytes, peer)};
    default:
      return {Unit::kCompute, duration_ns(work.size_bytes, memory)};
  }
}

Costs parse_costs(std::string_view text) {
  Costs costs;
  for (const std::string_view item : split(text, ',')) read_item(item, costs);
  return costs;
}

}  // namespace collet::sim
