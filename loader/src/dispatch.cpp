// SPDX-License-Identifier: Apache-2.0
#include "dispatch.hpp"

#include <cinttypes>
#include <cstdio>

namespace collet::loader {

collet_status_t refuse_callback(const char* function) noexcept {
  return record_error(function, COLLET_ERROR_REENTRANT,
                      "Collet was called from inside a host function; record the work on a stream "
                      "instead");
}

collet_status_t refuse_device(const char* function, const char* what, const Device& device,
                              const Device& expected) noexcept {
  char text[256];
  const bool same_backend = &device.backend == &expected.backend;
  std::snprintf(text, sizeof text, "the %s is on %s, but the stream or event is on %s%s", what,
                device.label(), expected.label(),
                same_backend ? "" : ", which belongs to another back end");
  return record_error(function,
                      same_backend ? COLLET_ERROR_WRONG_DEVICE : COLLET_ERROR_WRONG_BACKEND, text);
}

collet_status_t refuse_range(const char* function, const char* what, std::uint64_t offset_bytes,
                             std::uint64_t size_bytes, collet_buffer_t* buffer) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "the %s range of %" PRIu64 " bytes at offset %" PRIu64
                " ends past its buffer of %" PRIu64 " bytes",
                what, size_bytes, offset_bytes, find(buffer)->size_bytes);
  return record_error(function, COLLET_ERROR_OUT_OF_RANGE, text);
}

collet_status_t refuse_overlap(const char* function) noexcept {
  return record_error(function, COLLET_ERROR_OVERLAP,
                      "source and destination share bytes of one buffer; copy through another "
                      "buffer");
}

collet_status_t refuse_argument(const char* function, const char* message) noexcept {
  return record_error(function, COLLET_ERROR_INVALID_ARGUMENT, message);
}

void throw_last_error() {
  const collet_error_t* error = collet_last_error();
  throw Error(error->status, error->message);
}

void same_device(const char* function, const char* what, const Device& device,
                 const Device& expected) {
  if (&device != &expected) {
    refuse_device(function, what, device, expected);
    throw_last_error();
  }
}

}  // namespace collet::loader
