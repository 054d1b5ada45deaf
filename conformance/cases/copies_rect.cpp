// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

/** Bytes from the start of the first row to the end of the last. */
std::uint64_t extent(const collet_rect_t& rect, std::uint64_t pitch) {
  return rect.height == 0 ? 0 : (rect.height - 1) * pitch + rect.width_bytes;
}

std::string text(const collet_rect_t& rect) {
  return "a rectangle of " + std::to_string(rect.width_bytes) + " x " +
         std::to_string(rect.height) + " bytes, pitches " + std::to_string(rect.dst_pitch_bytes) +
         " and " + std::to_string(rect.src_pitch_bytes);
}

struct Kinds {
  collet_memory_kind_t dst = COLLET_MEMORY_DEVICE;
  collet_memory_kind_t src = COLLET_MEMORY_DEVICE;
};

void expect_rect(Device& device, const Stream& stream, const collet_rect_t& rect,
                 const Kinds& kinds = {}) {
  constexpr std::uint64_t kMargin = 70;
  const std::uint64_t src_size =
      rect.src_offset_bytes + extent(rect, rect.src_pitch_bytes) + kMargin;
  const std::uint64_t dst_size =
      rect.dst_offset_bytes + extent(rect, rect.dst_pitch_bytes) + kMargin;
  const Memory src(device, src_size, kinds.src);
  const Memory dst(device, dst_size, kinds.dst);
  const Bytes source = payload(src_size, 21);
  // Unlike the row that belongs there, and unlike a copy of the source as one block.
  Bytes before = complement(payload(dst_size, 22));
  for (std::uint64_t row = 0; row < rect.height; ++row) {
    const Bytes bytes =
        part_of(source, rect.src_offset_bytes + row * rect.src_pitch_bytes, rect.width_bytes);
    put(before, rect.dst_offset_bytes + row * rect.dst_pitch_bytes, complement(bytes));
  }
  Bytes expected = before;
  for (std::uint64_t row = 0; row < rect.height; ++row) {
    put(expected, rect.dst_offset_bytes + row * rect.dst_pitch_bytes,
        part_of(source, rect.src_offset_bytes + row * rect.src_pitch_bytes, rect.width_bytes));
  }
  stream.upload(src, source);
  stream.upload(dst, before);
  expect_ok(stream.copy_rect(dst, src, rect), "copy_rect");
  expect_bytes(stream.download(dst), expected, text(rect));
}

}  // namespace

CONFORMANCE_CASE("PLUG-STR-11 a rectangle moves its rows and no byte between them",
                 clauses("PLUG-STR-11"), kMandatory,
                 does("Widths, heights and pitches of many sizes, different ones on both sides.")) {
  Device& device = test.device();
  const Stream stream(device);
  for (const std::uint64_t width : {1U, 3U, 16U, 17U, 64U, 100U}) {
    for (const std::uint64_t height : {1U, 2U, 5U, 31U}) {
      for (const std::uint64_t dst_pad : {0U, 1U, 28U}) {
        for (const std::uint64_t src_pad : {0U, 7U, 28U}) {
          expect_rect(device, stream,
                      {width % 13, height % 7, width, height, width + dst_pad, width + src_pad});
        }
      }
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-11 a large rectangle is complete", clauses("PLUG-STR-11"), kMandatory,
                 does("A tile of one megabyte out of a wider image, on both sorts of streams.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Stream stream(device, sort);
    expect_rect(device, stream, {12, 5, 1024, 1024, 1024 + 64, 3 * 1024 + 1});
    expect_rect(device, stream, {0, 0, 70001, 9, 70001, 70001});
    expect_rect(device, stream, {3, 1, 1, 50000, 2, 3});
  }
}

CONFORMANCE_CASE(
    "PLUG-STR-11 a rectangle may be of pinned memory", clauses("PLUG-STR-11"),
    needs(Capability::kPinnedMemory),
    does("From device to pinned memory, the other way, and between two such memories.")) {
  Device& device = test.device();
  const Stream stream(device);
  for (const Kinds& kinds : {Kinds{COLLET_MEMORY_PINNED, COLLET_MEMORY_DEVICE},
                             Kinds{COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED},
                             Kinds{COLLET_MEMORY_PINNED, COLLET_MEMORY_PINNED}}) {
    expect_rect(device, stream, {12, 5, 100, 7, 111, 128}, kinds);
    expect_rect(device, stream, {0, 3, 70001, 3, 70001, 70010}, kinds);
  }
}

CONFORMANCE_CASE("PLUG-STR-11 an empty rectangle is a command that moves nothing",
                 clauses("PLUG-STR-11"), kMandatory,
                 does("Width 0, height 0, both; and pitch 0 where there is one row.")) {
  Device& device = test.device();
  const Stream stream(device);
  expect_rect(device, stream, {10, 20, 0, 5, 8, 8});
  expect_rect(device, stream, {10, 20, 8, 0, 8, 8});
  expect_rect(device, stream, {10, 20, 0, 0, 0, 0});
  expect_rect(device, stream, {10, 20, 33, 1, 0, 0});
}

}  // namespace collet::conformance
