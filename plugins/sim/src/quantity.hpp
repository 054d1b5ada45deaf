// SPDX-License-Identifier: Apache-2.0
/** Durations, rates and sizes as people write them. */
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace collet::sim {

/** What texts that expect one say. */
inline constexpr const char* kDurationExample = "a duration such as 250us, in ns, us, ms or s";
inline constexpr const char* kRateExample = "a rate such as 25GB/s, in kB/s, MB/s, GB/s or TB/s";

/** Nanoseconds: a whole number with ns, us, ms or s behind it, up to a day; or nothing. */
[[nodiscard]] std::optional<std::int64_t> parse_duration_ns(std::string_view text) noexcept;

/** Bytes per second, at least 1: a whole number with kB/s, MB/s, GB/s or TB/s behind it. */
[[nodiscard]] std::optional<std::uint64_t> parse_rate(std::string_view text) noexcept;

/** Bytes: a whole number, alone or with KiB, MiB, GiB or TiB behind it. */
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text) noexcept;

}  // namespace collet::sim
