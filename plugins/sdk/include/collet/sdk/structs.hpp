// SPDX-License-Identifier: Apache-2.0
/** Filling the structs and texts of a caller. */
#pragma once

#include <collet/program.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace collet::plugin {

/**
 * Fills a struct of the caller: as much of `value` as the caller's version of the struct has, and
 * not the head.
 */
template <class Struct>
void fill_struct(Struct* out, const Struct& value) noexcept {
  std::size_t head = 0;
  std::size_t room = 0;
  if constexpr (requires { out->base; }) {
    head = sizeof(out->base);
    room = out->base.struct_size;
  } else {
    head = sizeof(out->struct_size);
    room = out->struct_size;
  }
  const std::size_t end = std::min(room, sizeof(Struct));
  if (end <= head) return;
  std::memcpy(reinterpret_cast<std::byte*>(out) + head,
              reinterpret_cast<const std::byte*>(&value) + head, end - head);
}

/** The longest start of `text` that fits in `room` bytes and does not cut a UTF-8 character. */
[[nodiscard]] inline std::string_view fitting(std::string_view text, std::size_t room) noexcept {
  if (text.size() <= room) return text;
  constexpr unsigned kContinuationMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  while (room > 0 &&
         (static_cast<unsigned char>(text[room]) & kContinuationMask) == kContinuation) {
    --room;
  }
  return text.substr(0, room);
}

/** Copies a text into an array of a struct, cut to fit, with a NUL; clears the rest. */
template <std::size_t N>
void copy_text(char (&out)[N], std::string_view text) noexcept {
  const std::string_view kept = fitting(text, N - 1);
  std::memcpy(out, kept.data(), kept.size());
  std::memset(out + kept.size(), 0, N - kept.size());
}

/** Writes a text into memory of the caller, such as a build log; `out` may be NULL. */
inline void write_text(collet_text_t* out, std::string_view text) noexcept {
  if (out == nullptr) return;
  out->size_bytes = text.size();
  if (out->capacity_bytes == 0) return;
  const auto room =
      static_cast<std::size_t>(std::min<std::uint64_t>(out->capacity_bytes - 1, text.size()));
  const std::string_view kept = fitting(text, room);
  std::memcpy(out->data, kept.data(), kept.size());
  out->data[kept.size()] = '\0';
}

}  // namespace collet::plugin
