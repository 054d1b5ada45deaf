// SPDX-License-Identifier: Apache-2.0
// How reports name what they are about.
#pragma once

#include <string>

#include "layers/validate/model.hpp"

namespace collet::loader::validate {

// fill (command 3 of stream 2 "b", labelled "step 7", at main (train+0x11d0))
std::string text_of(const Command& command);

// buffer "x" (4096 bytes)
std::string text_of(const BufferFacts& buffer);

// reads bytes 0 to 63; may write bytes 64 and on. `start_bytes` is where the buffer begins.
std::string text_of(const Access& access, std::uint64_t start_bytes);

// stream 2 "b"
std::string stream_text(std::uint32_t number, const std::string& label);

}  // namespace collet::loader::validate
