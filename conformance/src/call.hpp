// SPDX-License-Identifier: Apache-2.0
/** Calls of table functions: watched, so that a crash or an exception has a name. */
#pragma once

#include <string>
#include <type_traits>

#include "check.hpp"

namespace collet::conformance {

/** Receives the names of calls, for who looks after a crash; see CaseRecord. */
using NoteCall = void (*)(const char* name);
void set_note_call(NoteCall note) noexcept;
void note_call(const char* name) noexcept;

/** Calls `function`; an exception that leaves it fails the case. */
template <class Result, class... Parameters>
Result call(const char* name, Result (*function)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  note_call(name);
  try {
    return function(arguments...);
  } catch (...) {
    fail(std::string("an exception left ") + name);
  }
}

}  // namespace collet::conformance
