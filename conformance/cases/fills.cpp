// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

constexpr std::array<std::uint64_t, 5> kPatternSizes = {1, 2, 4, 8, 16};

/** Different in each byte, so that a part of it is not mistaken for the whole. */
Bytes pattern_of(std::uint64_t size) { return payload(size, size + 500); }

Bytes repeated(const Bytes& pattern, std::uint64_t size) {
  Bytes out(size);
  for (std::uint64_t i = 0; i < size; ++i) out[i] = pattern[i % pattern.size()];
  return out;
}

void expect_fill(const Stream& stream, const Memory& memory, std::uint64_t offset,
                 std::uint64_t size, const Bytes& pattern) {
  const Bytes filled = repeated(pattern, size);
  Bytes before(memory.size());
  // The pattern goes on beyond the range as its complement.
  for (std::uint64_t i = 0; i < before.size(); ++i) {
    const std::uint64_t phase =
        (i + 16 * pattern.size() - offset % pattern.size()) % pattern.size();
    before[i] = static_cast<std::uint8_t>(~pattern[phase]);
  }
  Bytes expected = before;
  put(expected, offset, filled);
  stream.upload(memory, before);
  expect_ok(stream.fill(memory, offset, size, pattern.data(), pattern.size()), "fill");
  expect_bytes(stream.download(memory), expected,
               "a fill of " + std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                   " with a pattern of " + std::to_string(pattern.size()));
}

}  // namespace

CONFORMANCE_CASE("PLUG-STR-12 a fill repeats its pattern over its range and no other byte",
                 clauses("PLUG-STR-12"), kMandatory,
                 does("All sizes to 300 that the pattern divides, at several offsets, for each "
                      "size of pattern.")) {
  Device& device = test.device();
  const Stream stream(device);
  const Memory memory(device, 512);
  for (const std::uint64_t width : kPatternSizes) {
    for (std::uint64_t size = 0; size <= 300; size += width) {
      expect_fill(stream, memory, (size * 3 % 160) / width * width, size, pattern_of(width));
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-12 a large fill is complete", clauses("PLUG-STR-12"), kMandatory,
                 does("Fills around powers of two and of three megabytes, on both sorts of "
                      "streams.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Stream stream(device, sort);
    for (const std::uint64_t power : {1U << 12, 1U << 16, 1U << 18}) {
      const Memory memory(device, power + 256);
      for (const std::uint64_t width : kPatternSizes) {
        expect_fill(stream, memory, 3 * width, power - width, pattern_of(width));
        expect_fill(stream, memory, 5 * width, power + width, pattern_of(width));
      }
    }
    // Enough for several threads.
    constexpr std::uint64_t kBig = std::uint64_t{3} << 20;
    expect_fill(stream, Memory(device, kBig), 4, kBig - 12, pattern_of(4));
  }
}

CONFORMANCE_CASE("PLUG-STR-12 the pattern is read before the call returns", clauses("PLUG-STR-12"),
                 kMandatory,
                 does("Changes the pattern after the call, while the stream is gated.")) {
  Device& device = test.device();
  const Memory memory(device, 512);
  const Stream stream(device);
  for (const std::uint64_t width : kPatternSizes) {
    const Bytes pattern = pattern_of(width);
    Bytes given = pattern;
    Gate gate(stream);
    expect_ok(stream.fill(memory, 0, memory.size(), given.data(), width), "fill");
    given = complement(given);
    gate.open();
    expect_bytes(stream.download(memory), repeated(pattern, memory.size()),
                 "a fill whose pattern was changed after the call");
  }
}

}  // namespace collet::conformance
