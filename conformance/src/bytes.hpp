// SPDX-License-Identifier: Apache-2.0
/** Payloads, poison, and the comparison that says where two ranges of bytes differ. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace collet::conformance {

using Bytes = std::vector<std::uint8_t>;

/**
 * Bytes of which each run of four tells its own address: a shifted, repeated or missing piece is
 * seen wherever it is. Payloads of different salts are unlike.
 */
[[nodiscard]] Bytes payload(std::size_t size, std::uint64_t salt);

/** Differs from `bytes` at every position: a byte that should have been written cannot hide. */
[[nodiscard]] Bytes complement(const Bytes& bytes);

/** Sets `bytes[offset...]` to `part`. */
void put(Bytes& bytes, std::size_t offset, const Bytes& part);
[[nodiscard]] Bytes part_of(const Bytes& bytes, std::size_t offset, std::size_t size);

/** The first difference, as a text; nothing where there is none. */
[[nodiscard]] std::optional<std::string> difference(const Bytes& seen, const Bytes& expected);

/** `what` begins the text of the failure. */
void expect_bytes(const Bytes& seen, const Bytes& expected, std::string_view what,
                  Place place = Place::here());

}  // namespace collet::conformance
