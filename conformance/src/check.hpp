// SPDX-License-Identifier: Apache-2.0
/** How a case says what it expects, and how it ends early. */
#pragma once

#include <collet/base.h>

#include <chrono>
#include <string>
#include <string_view>

#include "verdict.hpp"

namespace collet::conformance {

/** A line of a source file: of the caller, where it is a default argument. */
struct Place {
  const char* file;
  int line;

  static constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/** Thrown to end a case early. */
struct CaseEnd {
  Verdict verdict;
  std::string seen;
  std::string place;
};

/** Ends the case: `seen` tells what was seen in place of what the clause says. */
[[noreturn]] void fail(const std::string& seen, Place place = Place::here());
/** Ends the case: the device declares to lack what it needs. */
[[noreturn]] void not_supported(const std::string& reason, Place place = Place::here());
/** Ends the case: nothing can be shown, and the plugin is not to blame. */
[[noreturn]] void inconclusive(const std::string& reason, Place place = Place::here());

void expect(bool is_so, std::string_view seen_otherwise, Place place = Place::here());
/** `call` names the call in the text. */
void expect_status(collet_status_t seen, collet_status_t expected, std::string_view call,
                   Place place = Place::here());
void expect_ok(collet_status_t seen, std::string_view call, Place place = Place::here());

/** "COLLET_ERROR_TIMEOUT", or "status 17". */
[[nodiscard]] std::string status_name(collet_status_t status);

/**
 * How long something that must happen may take. A case never waits for this long on a conformant
 * plugin.
 */
[[nodiscard]] std::chrono::nanoseconds patience() noexcept;
[[nodiscard]] std::uint64_t patience_ns() noexcept;
void set_patience(std::chrono::nanoseconds patience) noexcept;

/**
 * What ends the case in a process of its own: it records the end and does not return. Where there
 * is none, CaseEnd is thrown.
 */
using EndCase = void (*)(const CaseEnd& end);
void set_end_case(EndCase end_case) noexcept;

}  // namespace collet::conformance
