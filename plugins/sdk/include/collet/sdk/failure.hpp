// SPDX-License-Identifier: Apache-2.0
/** Why a stream is poisoned, and of which command that tells. */
#pragma once

#include <collet/stream.h>
#include <collet/sdk/error.hpp>
#include <collet/sdk/ref.hpp>
#include <collet/sdk/structs.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

namespace collet::plugin {

/**
 * Names a command in a failure record, e.g. {"launch", "saxpy"}. The texts are static, or owned by
 * something that the command holds.
 */
struct CommandInfo {
  const char* kind = "";
  const char* subject = "";
};

/** Label of the commands enqueued after it. */
struct Annotation : RefCounted<Annotation> {
  std::uint64_t correlation_id = 0;
  char label[64] = {};

  /** @param label  May be NULL. */
  Annotation(std::uint64_t id, const char* text) : correlation_id(id) {
    copy_text(label, text == nullptr ? "" : text);
  }
};

/** The failure of a command. Immutable once it is published. */
struct Failure : RefCounted<Failure> {
  /** COMMAND_FAILED, or DEVICE_LOST. */
  collet_status_t status = COLLET_OK;
  std::int64_t native_code = 0;
  char native_name[64] = {};
  /** Which command of its stream it was, from 1. */
  std::uint64_t sequence = 0;
  std::uint64_t correlation_id = 0;
  char command[64] = {};
  char message[512] = {};

  /** Inside a handler: notes the exception that is being handled, and which command threw it. */
  void note(const CommandInfo& what, std::uint64_t number, const Annotation* annotation) noexcept;

  /** @throws Error with this failure, and `where` before its text. */
  [[noreturn]] void raise(const std::string& where) const {
    throw Error(status, native_code, native_name, where + command + ": " + message);
  }
};

inline void Failure::note(const CommandInfo& what, std::uint64_t number,
                          const Annotation* annotation) noexcept {
  status = COLLET_ERROR_COMMAND_FAILED;
  sequence = number;
  std::snprintf(command, sizeof(command), "%s%s%s", what.kind, *what.subject == '\0' ? "" : " ",
                what.subject);
  const char* text = "an exception of an unknown type";
  const std::exception_ptr thrown = std::current_exception();
  try {
    throw;
  } catch (const Error& e) {
    if (e.status() == COLLET_ERROR_DEVICE_LOST) status = e.status();
    native_code = e.native_code();
    copy_text(native_name, e.native_name());
    text = e.what();
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
    // Nothing can be asked of it.
  }
  if (annotation != nullptr && *annotation->label != '\0') {
    std::snprintf(message, sizeof(message), "%s: %s", annotation->label, text);
  } else {
    copy_text(message, text);
  }
  if (annotation != nullptr) correlation_id = annotation->correlation_id;
}

/** The record as hosts read it; all zero without a failure. */
[[nodiscard]] inline collet_stream_failure_t stream_failure(const Failure* failure) noexcept {
  collet_stream_failure_t value{};
  if (failure == nullptr) return value;
  value.status = failure->status;
  value.native_code = static_cast<std::int32_t>(failure->native_code);
  value.first_candidate = failure->sequence;
  value.last_candidate = failure->sequence;
  value.correlation_id = failure->correlation_id;
  copy_text(value.command, failure->command);
  copy_text(value.message, failure->message);
  return value;
}

}  // namespace collet::plugin
