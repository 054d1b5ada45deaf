// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <atomic>

namespace collet::conformance {
namespace {

std::atomic<NoteCall> note_now{nullptr};

}  // namespace

void set_note_call(NoteCall note) noexcept { note_now.store(note); }

void note_call(const char* name) noexcept {
  if (const NoteCall note = note_now.load()) note(name);
}

}  // namespace collet::conformance
