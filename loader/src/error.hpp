// SPDX-License-Identifier: Apache-2.0
// How failures travel inside the loader: as Error up to the C boundary, there into the thread's
// last-error record.
#pragma once

#include <collet/error.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

// A function off the hot path, called as it stands: without this, gcc loads what the function needs
// before the compare that decides about the call.
#if defined(__clang__)
#define COLLET_COLD [[gnu::cold, gnu::noinline]]
#else
#define COLLET_COLD [[gnu::cold, gnu::noipa]]
#endif

namespace collet::loader {

class Error : public std::exception {
 public:
  Error(collet_status_t status, std::string message, std::string backend = {})
      : status_(status), message_(std::move(message)), backend_(std::move(backend)) {}

  [[nodiscard]] collet_status_t status() const noexcept { return status_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& backend() const noexcept { return backend_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  // The vendor's own code, where the failure came from a plugin.
  Error& with_native(std::int64_t code, std::string name) {
    native_code_ = code;
    native_name_ = std::move(name);
    return *this;
  }
  [[nodiscard]] std::int64_t native_code() const noexcept { return native_code_; }
  [[nodiscard]] const std::string& native_name() const noexcept { return native_name_; }

  // What to do about it, where the message does not say.
  Error& with_hint(std::string hint) {
    hint_ = std::move(hint);
    return *this;
  }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  collet_status_t status_;
  std::string message_;
  std::string backend_;
  std::int64_t native_code_ = 0;
  std::string native_name_;
  std::string hint_;
};

// Sets the thread's last-error record and returns the status. `function` is an exported name.
[[gnu::cold]] collet_status_t record_error(const char* function, collet_status_t status,
                                           const char* message, const char* backend = "") noexcept;
[[gnu::cold]] collet_status_t record_error(const char* function, const Error& error) noexcept;

// Records the failure of a plugin's function, with the report that the plugin made before it
// returned `status`; a status without a report is said to be one.
COLLET_COLD collet_status_t record_plugin_error(const char* function, collet_status_t status,
                                                const char* backend) noexcept;

// The same, as an Error, and as an exception.
[[nodiscard]] Error plugin_error(collet_status_t status, const std::string& backend);
[[noreturn]] void throw_plugin_error(collet_status_t status, const std::string& backend);

// COLLET_HOST_ERROR_V1: keeps a plugin's report until its call has returned.
void keep_report(collet_status_t status, std::int64_t native_code, const char* native_name,
                 const char* message) noexcept;

// Forgets a report of a call whose failure is of no consequence.
void drop_report() noexcept;

// Translates the exception in flight at the C boundary; call inside a catch clause.
[[gnu::cold]] collet_status_t record_current_exception(const char* function) noexcept;

// Runs `body` at the C boundary. Exported functions off the hot path are one call to it.
template <class Body>
[[nodiscard]] collet_status_t guarded(const char* function, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return COLLET_OK;
  } catch (...) {
    return record_current_exception(function);
  }
}

// Throws INVALID_ARGUMENT if a pointer is NULL.
void require(const void* pointer, const char* name);

}  // namespace collet::loader
