// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tools.hpp"

namespace collet::mutants {
namespace {

constexpr std::uint32_t kNonBlocking = COLLET_TRANSFER_NON_BLOCKING;

bool has_equal_pitches(const collet_rect_t& rect) {
  return rect.dst_pitch_bytes == rect.src_pitch_bytes && rect.height > 1;
}

}  // namespace

MUTANT("str10-source-offset", "PLUG-STR-10", "a copy ignores the offset of its source",
       also_breaks("PLUG-STR-1")) {
  plugin.stream.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto, auto size) {
    return good().stream->copy(stream, dst, dst_offset, src, 0, size);
  };
}

MUTANT("str10-destination-offset", "PLUG-STR-10", "a copy ignores the offset of its destination",
       also_breaks("PLUG-STR-1")) {
  plugin.stream.copy = [](auto* stream, auto* dst, auto, auto* src, auto src_offset, auto size) {
    return good().stream->copy(stream, dst, 0, src, src_offset, size);
  };
}

MUTANT("str10-tail", "PLUG-STR-10", "the last bytes of a small copy (size mod 16) are lost",
       also_breaks("PLUG-STR-1")) {
  plugin.stream.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                          auto size) {
    const std::uint64_t moved = size < 300 ? size / 16 * 16 : size;
    return good().stream->copy(stream, dst, dst_offset, src, src_offset, moved);
  };
}

MUTANT("str10-one-byte-more", "PLUG-STR-10", "a small copy of an odd size moves one byte more",
       also_breaks("PLUG-STR-1")) {
  plugin.stream.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                          auto size) {
    const std::uint64_t moved = size < 300 && size % 2 == 1 && dst != src ? size + 1 : size;
    return good().stream->copy(stream, dst, dst_offset, src, src_offset, moved);
  };
}

MUTANT("str10-large-cut", "PLUG-STR-10", "a copy of more than 64 KiB moves 64 KiB") {
  plugin.stream.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                          auto size) {
    const std::uint64_t moved = std::min<std::uint64_t>(size, 1 << 16);
    return good().stream->copy(stream, dst, dst_offset, src, src_offset, moved);
  };
}

MUTANT("str10-write-tail", "PLUG-STR-10", "a write at an offset loses its last byte",
       also_breaks("PLUG-STR-14")) {
  plugin.stream.write = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto size,
                           auto flags, auto timeout) {
    const std::uint64_t moved = dst_offset != 0 && size > 0 ? size - 1 : size;
    return good().stream->write(stream, dst, dst_offset, src, moved, flags, timeout);
  };
}

MUTANT("str10-read-offset", "PLUG-STR-10", "a read ignores the offset of its source") {
  plugin.stream.read = [](auto* stream, auto* dst, auto* src, auto, auto size, auto flags,
                          auto timeout) {
    return good().stream->read(stream, dst, src, 0, size, flags, timeout);
  };
}

MUTANT("str11-one-pitch", "PLUG-STR-11", "both sides of a rectangle have the smaller pitch") {
  plugin.stream.copy_rect = [](auto* stream, auto* dst, auto* src, auto* rect) {
    collet_rect_t changed = *rect;
    changed.dst_pitch_bytes = changed.src_pitch_bytes =
        std::min(rect->dst_pitch_bytes, rect->src_pitch_bytes);
    return good().stream->copy_rect(stream, dst, src, &changed);
  };
}

MUTANT("str11-as-a-block", "PLUG-STR-11", "a rectangle of equal pitches is copied as one block",
       also_breaks("PLUG-STR-1")) {
  plugin.stream.copy_rect = [](auto* stream, auto* dst, auto* src, auto* rect) {
    if (!has_equal_pitches(*rect)) return good().stream->copy_rect(stream, dst, src, rect);
    const std::uint64_t size = (rect->height - 1) * rect->src_pitch_bytes + rect->width_bytes;
    return good().stream->copy(stream, dst, rect->dst_offset_bytes, src, rect->src_offset_bytes,
                               size);
  };
}

MUTANT("str11-last-row", "PLUG-STR-11", "the last row of a rectangle is lost",
       also_breaks("PLUG-STR-1")) {
  plugin.stream.copy_rect = [](auto* stream, auto* dst, auto* src, auto* rect) {
    collet_rect_t changed = *rect;
    if (changed.height > 1) --changed.height;
    return good().stream->copy_rect(stream, dst, src, &changed);
  };
}

MUTANT("str11-pinned", "PLUG-STR-11",
       "rows of a rectangle in pinned memory are taken to be dense") {
  static constexpr auto kNotes = []() -> auto& {
    return notes<collet_plugin_memory_t, collet_memory_kind_t, 11>();
  };
  plugin.memory.allocate = [](auto* device, auto kind, auto size, auto alignment, auto** out) {
    const collet_status_t status = good().memory->allocate(device, kind, size, alignment, out);
    if (status == COLLET_OK) kNotes().of(*out) = kind;
    return status;
  };
  plugin.stream.copy_rect = [](auto* stream, auto* dst, auto* src, auto* rect) {
    collet_rect_t changed = *rect;
    const collet_memory_kind_t* const kind = kNotes().find(src);
    if (kind != nullptr && *kind == COLLET_MEMORY_PINNED) {
      changed.src_pitch_bytes = rect->width_bytes;
    }
    return good().stream->copy_rect(stream, dst, src, &changed);
  };
}

MUTANT("str12-first-byte", "PLUG-STR-12", "a fill repeats the first byte of its pattern",
       also_breaks("PLUG-STR-8")) {
  plugin.stream.fill = [](auto* stream, auto* dst, auto offset, auto size, auto* pattern, auto) {
    return good().stream->fill(stream, dst, offset, size, pattern, 1);
  };
}

MUTANT("str12-short", "PLUG-STR-12", "a fill of more than 64 KiB lacks its last pattern") {
  plugin.stream.fill = [](auto* stream, auto* dst, auto offset, auto size, auto* pattern,
                          auto width) {
    const std::uint64_t filled = size > (1 << 16) ? size - width : size;
    return good().stream->fill(stream, dst, offset, filled, pattern, width);
  };
}

MUTANT("str12-one-more", "PLUG-STR-12", "a fill with a wide pattern fills one pattern too many") {
  plugin.stream.fill = [](auto* stream, auto* dst, auto offset, auto size, auto* pattern,
                          auto width) {
    const std::uint64_t filled = width == 16 && size < 300 ? size + width : size;
    return good().stream->fill(stream, dst, offset, filled, pattern, width);
  };
}

MUTANT("str13-staged-write", "PLUG-STR-13",
       "a blocking write to a busy stream returns when it is staged",
       also_breaks("PLUG-STR-4", "PLUG-ROOT-6", "PLUG-ROOT-7")) {
  remember_device(plugin);
  plugin.stream.write = [](auto* stream, auto* dst, auto offset, auto* src, auto size, auto flags,
                           auto timeout) {
    const auto& stream_table = *good().stream;
    if ((flags & kNonBlocking) != 0 || stream_table.query(stream) != COLLET_NOT_READY) {
      return stream_table.write(stream, dst, offset, src, size, flags, timeout);
    }
    return stream_table.write(stream, dst, offset, staged(src, size), size, kNonBlocking, 0);
  };
}

MUTANT("str14-staged-early", "PLUG-STR-14", "a non-blocking write takes its source at the call") {
  remember_device(plugin);
  plugin.stream.write = [](auto* stream, auto* dst, auto offset, auto* src, auto size, auto flags,
                           auto timeout) {
    const void* const from = (flags & kNonBlocking) != 0 && size > 0 ? staged(src, size) : src;
    return good().stream->write(stream, dst, offset, from, size, flags, timeout);
  };
}

MUTANT("str14-read-at-once", "PLUG-STR-14", "a non-blocking read runs at the call") {
  remember_device(plugin);
  plugin.stream.read = [](auto* stream, auto* dst, auto* src, auto offset, auto size, auto flags,
                          auto timeout) {
    if ((flags & kNonBlocking) == 0) {
      return good().stream->read(stream, dst, src, offset, size, flags, timeout);
    }
    return good().stream->read(side_stream(), dst, src, offset, size, 0, COLLET_TIMEOUT_INFINITE);
  };
}

}  // namespace collet::mutants
