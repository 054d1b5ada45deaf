// SPDX-License-Identifier: Apache-2.0
#include "error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace collet::loader {
namespace {

// Fixed arrays: records are made on out-of-memory too, and are read while threads end, when
// thread-local objects with destructors are gone already.
struct Record {
  collet_error_t error;
  char message[4096];
  char backend[64];
  char function[64];
  char native_name[64];
};

struct Report {
  collet_status_t status;
  std::int64_t native_code;
  char native_name[64];
  char message[4096];
};

thread_local Record last_record;
thread_local Report last_report;

template <std::size_t N>
void assign(char (&target)[N], const char* text) noexcept {
  const std::size_t size = std::min(std::strlen(text), N - 1);
  std::memmove(target, text, size);
  target[size] = '\0';
}

void point_to_texts(Record& record) noexcept {
  record.error.struct_size = sizeof(collet_error_t);
  record.error.message = record.message;
  record.error.backend = record.backend;
  record.error.function = record.function;
  record.error.native_name = record.native_name;
}

}  // namespace

collet_status_t record_error(const char* function, collet_status_t status, const char* message,
                             const char* backend) noexcept {
  Record& record = last_record;
  point_to_texts(record);
  record.error.status = status;
  record.error.native_code = 0;
  assign(record.message, message);
  assign(record.backend, backend);
  assign(record.function, function);
  assign(record.native_name, "");
  return status;
}

collet_status_t record_error(const char* function, const Error& error) noexcept {
  record_error(function, error.status(), error.what(), error.backend().c_str());
  last_record.error.native_code = error.native_code();
  assign(last_record.native_name, error.native_name().c_str());
  return error.status();
}

collet_status_t record_plugin_error(const char* function, collet_status_t status,
                                    const char* backend) noexcept {
  Report& report = last_report;
  if (report.status != status) {
    char text[256];
    std::snprintf(text, sizeof text, "back end \"%s\" returned %s without saying why", backend,
                  collet_status_name(status));
    return record_error(function, status, text, backend);
  }
  record_error(function, status, report.message, backend);
  last_record.error.native_code = report.native_code;
  assign(last_record.native_name, report.native_name);
  report.status = COLLET_OK;
  return status;
}

void throw_plugin_error(collet_status_t status, const std::string& backend) {
  Report& report = last_report;
  if (report.status != status) {
    throw Error(status,
                "back end \"" + backend + "\" returned " + collet_status_name(status) +
                    " without saying why",
                backend);
  }
  report.status = COLLET_OK;
  throw Error(status, report.message, backend).with_native(report.native_code, report.native_name);
}

void keep_report(collet_status_t status, std::int64_t native_code, const char* native_name,
                 const char* message) noexcept {
  Report& report = last_report;
  report.status = status;
  report.native_code = native_code;
  assign(report.native_name, native_name != nullptr ? native_name : "");
  assign(report.message, message != nullptr ? message : "");
}

collet_status_t record_current_exception(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return record_error(function, error);
  } catch (const std::bad_alloc&) {
    return record_error(function, COLLET_ERROR_OUT_OF_HOST_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return record_error(function, COLLET_ERROR_INTERNAL, error.what());
  } catch (...) {
    return record_error(function, COLLET_ERROR_INTERNAL, "unknown exception");
  }
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT, std::string(name) + " is NULL");
  }
}

}  // namespace collet::loader

const collet_error_t* collet_last_error(void) {
  collet::loader::point_to_texts(collet::loader::last_record);
  return &collet::loader::last_record.error;
}

void collet_clear_error(void) { collet::loader::record_error("", COLLET_OK, ""); }
