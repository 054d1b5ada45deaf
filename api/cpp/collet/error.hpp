// SPDX-License-Identifier: Apache-2.0
//
// Failures of the C API as exceptions.
#pragma once

#include <collet/error.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace collet {

/// A failed call. It carries a copy of the thread's error record, so that it may outlive the
/// thread and be read after other failures. Copying does not throw.
class Error : public std::runtime_error {
 public:
  /// Takes the calling thread's record, if that is about `status`.
  explicit Error(collet_status_t status) : Error(record_of(status)) {}

  collet_status_t status() const noexcept { return record_->status; }
  /// The vendor's own code; meaningful only where native_name() is not empty.
  std::int64_t native_code() const noexcept { return record_->native_code; }
  const std::string& native_name() const noexcept { return record_->native_name; }
  /// Name of the back end that failed; empty where the fault is the call's.
  const std::string& backend() const noexcept { return record_->backend; }
  /// Name of the C function that failed.
  const std::string& function() const noexcept { return record_->function; }

 private:
  struct Record {
    collet_status_t status = COLLET_OK;
    std::int64_t native_code = 0;
    std::string native_name{}, message{}, backend{}, function{};
  };

  explicit Error(Record record)
      : std::runtime_error(record.message),
        record_(std::make_shared<const Record>(std::move(record))) {}

  static Record record_of(collet_status_t status) {
    const collet_error_t& last = *collet_last_error();
    // A status that was stored earlier may no longer be the one on record.
    if (last.status != status) return {.status = status, .message = collet_status_name(status)};
    return {.status = status,
            .native_code = last.native_code,
            .native_name = last.native_name,
            .message = last.message,
            .backend = last.backend,
            .function = last.function};
  }

  std::shared_ptr<const Record> record_;
};

/// Throws Error if `status` is one. COLLET_NOT_READY is none.
inline void check(collet_status_t status) {
  if (status < COLLET_OK) throw Error(status);
}

}  // namespace collet
