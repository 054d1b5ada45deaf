// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <array>
#include <atomic>
#include <cstring>

#include "host.hpp"

namespace collet::conformance {
namespace {

std::atomic<std::int64_t> patience_now{std::chrono::nanoseconds(std::chrono::seconds(10)).count()};
std::atomic<EndCase> end_case_now{nullptr};

[[noreturn]] void end_case(Verdict verdict, const std::string& seen, Place place) {
  const char* slash = std::strrchr(place.file, '/');
  const std::string where =
      std::string(slash == nullptr ? place.file : slash + 1) + ":" + std::to_string(place.line);
  if (const EndCase handler = end_case_now.load()) handler({verdict, seen, where});
  throw CaseEnd{verdict, seen, where};
}

constexpr std::array<const char*, 25> kErrorNames = {"COLLET_OK",
                                                     "COLLET_ERROR_INVALID_ARGUMENT",
                                                     "COLLET_ERROR_INVALID_HANDLE",
                                                     "COLLET_ERROR_WRONG_BACKEND",
                                                     "COLLET_ERROR_WRONG_DEVICE",
                                                     "COLLET_ERROR_OUT_OF_RANGE",
                                                     "COLLET_ERROR_OVERLAP",
                                                     "COLLET_ERROR_UNSUPPORTED",
                                                     "COLLET_ERROR_OUT_OF_HOST_MEMORY",
                                                     "COLLET_ERROR_OUT_OF_DEVICE_MEMORY",
                                                     "COLLET_ERROR_NO_SUCH_DEVICE",
                                                     "COLLET_ERROR_MALFORMED",
                                                     "COLLET_ERROR_UNAVAILABLE",
                                                     "COLLET_ERROR_INCOMPATIBLE",
                                                     "COLLET_ERROR_TIMEOUT",
                                                     "COLLET_ERROR_DEVICE_LOST",
                                                     "COLLET_ERROR_COMMAND_FAILED",
                                                     "COLLET_ERROR_BUILD_FAILED",
                                                     "COLLET_ERROR_NOT_FOUND",
                                                     "COLLET_ERROR_NOT_RECORDED",
                                                     "COLLET_ERROR_FORKED",
                                                     "COLLET_ERROR_REENTRANT",
                                                     "COLLET_ERROR_INVALID_STATE",
                                                     "COLLET_ERROR_OVERFLOW",
                                                     "COLLET_ERROR_INTERNAL"};

}  // namespace

void fail(const std::string& seen, Place place) { end_case(Verdict::kFail, seen, place); }

void not_supported(const std::string& reason, Place place) {
  end_case(Verdict::kNotSupported, reason, place);
}

void inconclusive(const std::string& reason, Place place) {
  end_case(Verdict::kInconclusive, reason, place);
}

void expect(bool is_so, std::string_view seen_otherwise, Place place) {
  if (!is_so) fail(std::string(seen_otherwise), place);
}

void expect_status(collet_status_t seen, collet_status_t expected, std::string_view call,
                   Place place) {
  if (seen == expected) return;
  std::string text =
      std::string(call) + " answered " + status_name(seen) + ", expected " + status_name(expected);
  const Report& report = last_report();
  if (seen != COLLET_OK && report.status == seen) text += " (it says: " + report.message + ")";
  fail(text, place);
}

void expect_ok(collet_status_t seen, std::string_view call, Place place) {
  expect_status(seen, COLLET_OK, call, place);
}

std::string status_name(collet_status_t status) {
  if (status == COLLET_NOT_READY) return "COLLET_NOT_READY";
  const int index = -static_cast<int>(status);
  if (index >= 0 && index < static_cast<int>(kErrorNames.size())) {
    return kErrorNames[static_cast<std::size_t>(index)];
  }
  return "status " + std::to_string(static_cast<int>(status));
}

std::chrono::nanoseconds patience() noexcept {
  return std::chrono::nanoseconds(patience_now.load());
}

std::uint64_t patience_ns() noexcept { return static_cast<std::uint64_t>(patience_now.load()); }

void set_patience(std::chrono::nanoseconds patience) noexcept {
  patience_now.store(patience.count());
}

void set_end_case(EndCase end_case) noexcept { end_case_now.store(end_case); }

}  // namespace collet::conformance
