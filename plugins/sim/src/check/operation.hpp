// SPDX-License-Identifier: Apache-2.0
/** A command, as the checker remembers it. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../work.hpp"

namespace collet::sim {

struct Operation {
  /** Which it is: of the stream's slot, this one. */
  std::size_t slot = 0;
  std::uint64_t count = 0;

  Kind kind{};
  std::string subject;
  /** "stream 3 of sim:0", or with its label. */
  std::string stream;
  /** Number of the command in its stream, from 1. */
  std::uint64_t sequence = 0;
  /** Its annotation; may be empty. */
  std::string label;

  /** "launch saxpy (command 7 of stream "copies" of sim:0, annotated "batch 3")" */
  [[nodiscard]] std::string text() const {
    std::string text = name_of(kind);
    if (!subject.empty()) text += " " + subject;
    text += " (command " + std::to_string(sequence) + " of " + stream;
    if (!label.empty()) text += ", annotated \"" + label + "\"";
    return text + ")";
  }
};

}  // namespace collet::sim
