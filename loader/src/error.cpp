// SPDX-License-Identifier: Apache-2.0
#include "error.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace collet::loader {
namespace {

// Fixed arrays: a record can be overwritten when there is no memory.
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

struct ThreadErrors {
  Record record;
  Report report;
};

constexpr collet_error_t kNoError{sizeof(collet_error_t), COLLET_OK, 0, "", "", "", ""};
constexpr collet_error_t kLostError{sizeof(collet_error_t),
                                    COLLET_ERROR_OUT_OF_HOST_MEMORY,
                                    0,
                                    "",
                                    "out of host memory; an error happened that could not be noted",
                                    "",
                                    ""};

// Made at the first error of a thread. Not thread-local themselves: all that a library which is
// loaded by dlopen() has thread-local may have to come out of the C library's small reserve. No
// object with a destructor either: records are read while threads end, after those have run.
constinit thread_local ThreadErrors* thread_errors = nullptr;
constinit thread_local bool error_lost = false;

void delete_thread_errors(void* errors) {
  thread_errors = nullptr;
  delete static_cast<ThreadErrors*>(errors);
}

// Has the errors deleted when the thread ends. Where no key is left, they are leaked.
void delete_at_thread_end(ThreadErrors* errors) noexcept {
  struct Key {
    pthread_key_t value{};
    const bool made = pthread_key_create(&value, delete_thread_errors) == 0;
  };
  static const Key kKey;
  if (kKey.made) {
    pthread_setspecific(kKey.value, errors);
  }
}

// The errors of this thread; nullptr where there is no memory for them.
ThreadErrors* errors_of_thread() noexcept {
  if (thread_errors == nullptr) {
    thread_errors = new (std::nothrow) ThreadErrors{};
    if (thread_errors != nullptr) {
      delete_at_thread_end(thread_errors);
    }
  }
  error_lost = thread_errors == nullptr;
  return thread_errors;
}

// Copies a text, cut between two UTF-8 characters if it is too long.
template <std::size_t N>
void assign(char (&target)[N], const char* text) noexcept {
  std::size_t size = strnlen(text, N);
  if (size == N) {
    --size;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
      --size;
    }
  }
  std::memmove(target, text, size);
  target[size] = '\0';
}

struct Native {
  std::int64_t code = 0;
  const char* name = "";
};

collet_status_t fill_record(const char* function, collet_status_t status, const char* message,
                            const char* backend, const Native& native) noexcept {
  ThreadErrors* errors = errors_of_thread();
  if (errors == nullptr) {
    return status;
  }
  Record& record = errors->record;
  assign(record.message, message);
  assign(record.backend, backend);
  assign(record.function, function);
  assign(record.native_name, native.name);
  record.error = {sizeof(collet_error_t), status,         native.code,    record.native_name,
                  record.message,         record.backend, record.function};
  return status;
}

// The report of a call that returned `status`, or nullptr.
Report* report_of(collet_status_t status) noexcept {
  ThreadErrors* errors = thread_errors;
  return errors != nullptr && errors->report.status == status ? &errors->report : nullptr;
}

}  // namespace

collet_status_t record_error(const char* function, collet_status_t status, const char* message,
                             const char* backend) noexcept {
  return fill_record(function, status, message, backend, {});
}

collet_status_t record_error(const char* function, const Error& error) noexcept {
  return fill_record(function, error.status(), error.what(), error.backend().c_str(),
                     {error.native_code(), error.native_name().c_str()});
}

collet_status_t record_plugin_error(const char* function, collet_status_t status,
                                    const char* backend) noexcept {
  if (const Report* report = report_of(status)) {
    fill_record(function, status, report->message, backend,
                {report->native_code, report->native_name});
  } else {
    char text[256];
    std::snprintf(text, sizeof text, "back end \"%s\" returned %s without saying why", backend,
                  collet_status_name(status));
    fill_record(function, status, text, backend, {});
  }
  drop_report();
  return status;
}

Error plugin_error(collet_status_t status, const std::string& backend) {
  const Report* report = report_of(status);
  if (report == nullptr) {
    return {status,
            "back end \"" + backend + "\" returned " + collet_status_name(status) +
                " without saying why",
            backend};
  }
  Error error(status, report->message, backend);
  error.with_native(report->native_code, report->native_name);
  drop_report();
  return error;
}

void throw_plugin_error(collet_status_t status, const std::string& backend) {
  throw plugin_error(status, backend);
}

void keep_report(collet_status_t status, std::int64_t native_code, const char* native_name,
                 const char* message) noexcept {
  ThreadErrors* errors = errors_of_thread();
  if (errors == nullptr) {
    return;
  }
  Report& report = errors->report;
  report.status = status;
  report.native_code = native_code;
  assign(report.native_name, native_name != nullptr ? native_name : "");
  assign(report.message, message != nullptr ? message : "");
}

void drop_report() noexcept {
  if (thread_errors != nullptr) {
    thread_errors->report.status = COLLET_OK;
  }
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
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  if (error_lost) {
    return &kLostError;
  }
  const bool recorded = thread_errors != nullptr && thread_errors->record.error.struct_size != 0;
  return recorded ? &thread_errors->record.error : &kNoError;
}

void collet_clear_error(void) {
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  error_lost = false;
  if (thread_errors != nullptr) {
    thread_errors->record.error = kNoError;
  }
}
