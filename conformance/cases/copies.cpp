// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

/** Sizes 0 to 300, and around powers of two up to a megabyte. */
std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> out(301);
  std::iota(out.begin(), out.end(), std::uint64_t{0});
  for (std::uint64_t power = 512; power <= (1 << 20); power *= 2) {
    for (const std::uint64_t size : {power - 1, power, power + 1}) out.push_back(size);
  }
  return out;
}

struct Range {
  std::uint64_t dst_offset;
  std::uint64_t src_offset;
  std::uint64_t size;
};

/** Room before and behind a range, to see what is written there. */
constexpr std::uint64_t kMargin = 80;

/** One copy on a stream, and what the destination must hold afterwards. */
class CopyCheck {
 public:
  CopyCheck(Device& device, const Stream& stream, std::uint64_t room)
      : stream_(stream),
        dst_(device, room),
        src_(device, room),
        source_(payload(room, 1)),
        initial_(room),
        room_(room) {
    stream.upload(src_, source_);
  }

  void expect_copy(const Range& range) {
    prepare(range);
    expect_ok(stream_.copy(dst_, range.dst_offset, src_, range.src_offset, range.size), "copy");
    expect_result(range, "copy");
  }

  void expect_write(const Range& range) {
    prepare(range);
    expect_ok(stream_.write(dst_, range.dst_offset, source_.data() + range.src_offset, range.size),
              "write");
    expect_result(range, "write");
  }

  void expect_read(const Range& range) {
    Bytes host = initial(range);
    const Bytes expected = result(range, host);
    expect_ok(stream_.read(host.data() + range.dst_offset, src_, range.src_offset, range.size),
              "read");
    expect_bytes(host, expected, text(range, "read"));
  }

 private:
  /** Unlike what a copy of any length from there would write. */
  [[nodiscard]] Bytes initial(const Range& range) const {
    Bytes bytes(room_);
    for (std::uint64_t i = 0; i < room_; ++i) {
      const std::uint64_t from = i + range.src_offset + room_ - range.dst_offset;
      bytes[i] = static_cast<std::uint8_t>(~source_[from % room_]);
    }
    return bytes;
  }

  [[nodiscard]] Bytes result(const Range& range, Bytes bytes) const {
    put(bytes, range.dst_offset, part_of(source_, range.src_offset, range.size));
    return bytes;
  }

  void prepare(const Range& range) {
    initial_ = initial(range);
    stream_.upload(dst_, initial_);
  }

  void expect_result(const Range& range, const char* what) const {
    expect_bytes(stream_.download(dst_), result(range, initial_), text(range, what));
  }

  static std::string text(const Range& range, const char* what) {
    return std::string(what) + " of " + std::to_string(range.size) + " bytes from offset " +
           std::to_string(range.src_offset) + " to offset " + std::to_string(range.dst_offset);
  }

  const Stream& stream_;
  Memory dst_;
  Memory src_;
  Bytes source_;
  Bytes initial_;
  std::uint64_t room_;
};

/** Two offsets for a size, different ones for each. */
Range range_of(std::uint64_t size) {
  return {(size * 7 + 3) % kMargin, (size * 5 + 11) % kMargin, size};
}

}  // namespace

CONFORMANCE_CASE("PLUG-STR-10 a copy inside the device moves its range and no other byte",
                 clauses("PLUG-STR-10"), kMandatory,
                 does("All sizes to 300 and around powers of two, at odd offsets, with the whole "
                      "destination compared.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Stream stream(device, sort);
    for (const std::uint64_t size : sizes()) {
      if (size > 4097 && sort != kStreamSorts[0]) continue;
      CopyCheck(device, stream, size + 2 * kMargin).expect_copy(range_of(size));
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-10 a write moves its range and no other byte", clauses("PLUG-STR-10"),
                 kMandatory, does("As inside the device, from host memory.")) {
  Device& device = test.device();
  const Stream stream(device);
  for (const std::uint64_t size : sizes()) {
    CopyCheck(device, stream, size + 2 * kMargin).expect_write(range_of(size));
  }
}

CONFORMANCE_CASE("PLUG-STR-10 a read moves its range and no other byte", clauses("PLUG-STR-10"),
                 kMandatory, does("As inside the device, to host memory.")) {
  Device& device = test.device();
  const Stream stream(device);
  for (const std::uint64_t size : sizes()) {
    CopyCheck(device, stream, size + 2 * kMargin).expect_read(range_of(size));
  }
}

CONFORMANCE_CASE("PLUG-STR-10 every pair of small offsets counts", clauses("PLUG-STR-10"),
                 kMandatory, does("Copies 37 bytes between all offsets from 0 to 16.")) {
  Device& device = test.device();
  const Stream stream(device, 0);
  CopyCheck check(device, stream, 64);
  for (std::uint64_t dst = 0; dst <= 16; ++dst) {
    for (std::uint64_t src = 0; src <= 16; ++src) {
      check.expect_copy({dst, src, 37});
      check.expect_write({dst, src, 37});
      check.expect_read({dst, src, 37});
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-10 ranges of one memory may lie side by side", clauses("PLUG-STR-10"),
                 kMandatory, does("Copies inside one memory, forwards and backwards.")) {
  Device& device = test.device();
  const Stream stream(device);
  for (const std::uint64_t size : {1U, 16U, 63U, 1000U, 65537U}) {
    const Bytes before = payload(2 * size + 7, size);
    const Memory memory(device, before.size());
    for (const bool is_forwards : {true, false}) {
      const std::uint64_t dst = is_forwards ? size : 0;
      const std::uint64_t src = is_forwards ? 0 : size;
      stream.upload(memory, before);
      expect_ok(stream.copy(memory, dst, memory, src, size), "copy");
      Bytes expected = before;
      put(expected, dst, part_of(before, src, size));
      expect_bytes(stream.download(memory), expected,
                   "a memory after a copy of " + std::to_string(size) + " of its own bytes");
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-10 copies past 4 GiB go where they should", clauses("PLUG-STR-10"),
                 kLarge,
                 does("Copies single bytes and a block around the offsets 2^31 and 2^32.")) {
  Device& device = test.device();
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;
  constexpr std::uint64_t kSize = kFar + 4096;
  if (device.traits(COLLET_MEMORY_DEVICE).max_allocation_bytes < 2 * kSize) {
    not_supported("an allocation of 4 GiB: the device's greatest is smaller");
  }
  const Memory memory(device, kSize);
  const Stream stream(device);
  const Bytes sent = payload(3000, 9);
  for (const std::uint64_t at : {std::uint64_t{1} << 31, kFar - 1500, kFar, kFar + 1000}) {
    const std::uint8_t zero = 0;
    expect_ok(stream.fill(memory, 0, kSize, &zero, 1), "a fill of 4 GiB");
    stream.upload(memory, sent, at);
    expect_ok(stream.copy(memory, 100, memory, at, sent.size()), "copy");
    expect_bytes(stream.download(memory, 100, sent.size()), sent,
                 "what was copied from offset " + std::to_string(at));
    expect_bytes(stream.download(memory, at - 64, 64), Bytes(64, 0), "bytes before the range");
  }
}

}  // namespace collet::conformance
