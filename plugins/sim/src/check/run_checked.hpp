// SPDX-License-Identifier: Apache-2.0
/** Running a command under the eyes of the checker. */
#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>
#include <vector>

#include "checker.hpp"
#include "fingerprint.hpp"

namespace collet::sim {

/** What the checker has to know of the command that a stream is at. */
struct CheckedCommand {
  Checker& checker;
  Checker::Moment& moment;
  const Work& work;
  /** Counts conflicts. */
  std::atomic<std::uint64_t>& conflicts;
};

[[nodiscard]] inline std::vector<std::uint64_t> fingerprints(const std::vector<Access>& accesses) {
  std::vector<std::uint64_t> prints;
  prints.reserve(accesses.size());
  std::transform(
      accesses.begin(), accesses.end(), std::back_inserter(prints), [](const Access& access) {
        return access.mode == Access::kUpdate ? fingerprint(access.begin, access.size_bytes) : 0;
      });
  return prints;
}

/**
 * Notes what `body()`, the command, uses. What it may write, it reads; and it has written it where
 * that has changed.
 *
 * @throws Error for a conflict, with Check::kFail; and what `body` throws.
 */
template <class Body>
void run_checked(const CheckedCommand& command, Operation description, Body&& body) {
  const std::vector<Access>& accesses = command.work.accesses;
  if (accesses.empty()) return body();
  const auto by = command.checker.operation(command.moment, std::move(description));
  const auto note = [&](bool are_writes, auto&& wants) {
    std::vector<Access> noted;
    std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(noted), wants);
    command.checker.access(command.moment, by, noted, are_writes, command.conflicts);
  };
  note(false, [](const Access& access) { return access.mode != Access::kWrite; });
  note(true, [](const Access& access) { return access.mode == Access::kWrite; });
  const std::vector<std::uint64_t> before = fingerprints(accesses);
  body();
  const std::vector<std::uint64_t> after = fingerprints(accesses);
  note(true, [&](const Access& access) {
    const auto index = static_cast<std::size_t>(&access - accesses.data());
    return before[index] != after[index];
  });
}

}  // namespace collet::sim
