// SPDX-License-Identifier: Apache-2.0
#include "quantity.hpp"

#include <array>
#include <charconv>
#include <span>

namespace collet::sim {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t worth;
};

constexpr std::uint64_t kKilo = 1000;
constexpr std::array<Unit, 4> kDurations = {
    {{"ns", 1}, {"us", kKilo}, {"ms", kKilo* kKilo}, {"s", kKilo* kKilo* kKilo}}};
constexpr std::array<Unit, 4> kRates = {{{"kB/s", kKilo},
                                         {"MB/s", kKilo* kKilo},
                                         {"GB/s", kKilo* kKilo* kKilo},
                                         {"TB/s", kKilo* kKilo* kKilo* kKilo}}};

constexpr std::uint64_t kKibi = 1024;
constexpr std::array<Unit, 5> kSizes = {{{"", 1},
                                         {"KiB", kKibi},
                                         {"MiB", kKibi* kKibi},
                                         {"GiB", kKibi* kKibi* kKibi},
                                         {"TiB", kKibi* kKibi* kKibi* kKibi}}};

std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units,
                                   std::uint64_t greatest) noexcept {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, count);
  if (fault != std::errc{}) return std::nullopt;
  const std::string_view name(stop, static_cast<std::size_t>(end - stop));
  for (const Unit& unit : units) {
    std::uint64_t value = 0;
    if (unit.name != name) continue;
    if (__builtin_mul_overflow(count, unit.worth, &value) || value > greatest) break;
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_duration_ns(std::string_view text) noexcept {
  constexpr std::uint64_t kDayNs = 86'400'000'000'000;
  const auto value = parse(text, kDurations, kDayNs);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

std::optional<std::uint64_t> parse_rate(std::string_view text) noexcept {
  // A byte takes at least a millionth of a nanosecond.
  constexpr std::uint64_t kGreatest = kKilo * kKilo * kKilo * kKilo * kKilo;
  const auto value = parse(text, kRates, kGreatest);
  return value == 0U ? std::nullopt : value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept {
  return parse(text, kSizes, UINT64_MAX);
}

}  // namespace collet::sim
