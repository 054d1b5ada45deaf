// SPDX-License-Identifier: Apache-2.0
/** The one exception of a plugin: what the host will be told. */
#pragma once

#include <collet/base.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace collet::plugin {

/** A status with its text, and the code of the vendor's runtime where that is the cause. */
class Error : public std::runtime_error {
 public:
  Error(collet_status_t status, const std::string& message)
      : std::runtime_error(message), status_(status) {}

  Error(collet_status_t status, std::int64_t native_code, std::string native_name,
        const std::string& message)
      : std::runtime_error(message),
        status_(status),
        native_code_(native_code),
        native_name_(std::move(native_name)) {}

  [[nodiscard]] collet_status_t status() const noexcept { return status_; }
  /** Meaningful only where native_name() is not empty. */
  [[nodiscard]] std::int64_t native_code() const noexcept { return native_code_; }
  [[nodiscard]] const std::string& native_name() const noexcept { return native_name_; }

 private:
  collet_status_t status_;
  std::int64_t native_code_ = 0;
  std::string native_name_;
};

/** Throws what the system's last failed call left in errno. */
[[noreturn]] inline void throw_errno(collet_status_t status, const std::string& what) {
  const int code = errno;
  throw Error(status, code, "errno", what + ": " + std::generic_category().message(code));
}

}  // namespace collet::plugin
