// SPDX-License-Identifier: Apache-2.0
/** Blocking and non-blocking copies of host memory, in stream order. */
#include <algorithm>
#include <atomic>
#include <thread>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kSize = 3000;
constexpr std::uint64_t kShort = 20'000'000;

void put_at(std::uint8_t* address, const Bytes& bytes) {
  std::copy(bytes.begin(), bytes.end(), address);
}

Bytes bytes_at(const std::uint8_t* address) { return {address, address + kSize}; }

}  // namespace

CONFORMANCE_CASE("PLUG-STR-13 a blocking copy is complete when it returns", clauses("PLUG-STR-13"),
                 kMandatory,
                 does("Changes the source right after a write, and looks at the destination "
                      "right after a read.")) {
  Device& device = test.device();
  for (const std::uint32_t sort : kStreamSorts) {
    const Memory memory(device, kSize);
    const Stream stream(device, sort);
    for (std::uint64_t round = 0; round < 50; ++round) {
      const Bytes sent = payload(kSize, round);
      Bytes source = sent;
      expect_ok(stream.write(memory, 0, source.data(), kSize), "write");
      std::fill(source.begin(), source.end(), std::uint8_t{0});
      Bytes destination = complement(sent);
      expect_ok(stream.read(destination.data(), memory, 0, kSize), "read");
      expect_bytes(destination, sent, "what was read back");
      expect_ok(stream.query(), "query after a blocking read");
    }
  }
}

CONFORMANCE_CASE("PLUG-STR-13 a blocking copy does not return before earlier commands are complete",
                 clauses("PLUG-STR-13"), kMandatory,
                 does("Copies behind a shut gate, from pageable and from pinned memory; OK before "
                      "the gate opens is a copy that cannot be complete.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const bool is_pinned = device.traits(COLLET_MEMORY_PINNED).supported != 0;
  const Memory pinned(device, kSize, is_pinned ? COLLET_MEMORY_PINNED : COLLET_MEMORY_DEVICE);
  Bytes pageable(kSize);
  for (std::uint8_t* const host : {pageable.data(), is_pinned ? pinned.host_pointer() : nullptr}) {
    if (host == nullptr) continue;
    const Stream stream(device);
    const Gate gate(stream);
    gate.wait_until_reached();
    expect_status(stream.write(memory, 0, host, kSize, 0, kShort), COLLET_ERROR_TIMEOUT,
                  "a blocking write behind a shut gate");
    expect_status(stream.read(host, memory, 0, kSize, 0, kShort), COLLET_ERROR_TIMEOUT,
                  "a blocking read behind a shut gate");
  }
}

CONFORMANCE_CASE("PLUG-STR-13 a blocking copy waits for a gate that opens in time",
                 clauses("PLUG-STR-13"), kMandatory,
                 does("Another thread opens the gate while the copy waits for it.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Stream stream(device);
  const Bytes sent = payload(kSize, 6);
  for (int round = 0; round < 10; ++round) {
    stream.upload(memory, complement(sent));
    Gate gate(stream);
    std::atomic<bool> is_open{false};
    std::thread opener([&] {
      gate.wait_until_reached();
      is_open.store(true);
      gate.open();
    });
    const collet_status_t status = stream.write(memory, 0, sent.data(), kSize);
    const bool was_open = is_open.load();
    opener.join();
    expect_ok(status, "a blocking write");
    expect(was_open, "a blocking write returned before the gate was open");
    expect_bytes(stream.download(memory), sent, "what was written behind a gate");
  }
}

CONFORMANCE_CASE("PLUG-STR-14 a non-blocking write reads its source when it runs",
                 clauses("PLUG-STR-14"), needs(Capability::kPinnedMemory),
                 does("A host function that is enqueued before the write changes its source.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Memory pinned(device, kSize, COLLET_MEMORY_PINNED);
  std::uint8_t* const source = pinned.host_pointer();
  const Stream stream(device);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const Bytes late = payload(kSize, round);
    put_at(source, complement(late));
    Gate gate(stream);
    stream.then([&](collet_status_t) { put_at(source, late); });
    expect_ok(stream.write(memory, 0, source, kSize, COLLET_TRANSFER_NON_BLOCKING),
              "a non-blocking write");
    gate.open();
    stream.finish();
    expect_bytes(stream.download(memory), late, "what a non-blocking write took from its source");
  }
}

CONFORMANCE_CASE("PLUG-STR-14 a non-blocking read writes its destination when it runs",
                 clauses("PLUG-STR-14"), needs(Capability::kPinnedMemory),
                 does("The destination is as before while the gate is shut, and a host function "
                      "behind the read sees the new bytes.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Memory pinned(device, kSize, COLLET_MEMORY_PINNED);
  std::uint8_t* const destination = pinned.host_pointer();
  const Stream stream(device);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const Bytes sent = payload(kSize, round);
    const Bytes before = complement(sent);
    stream.upload(memory, sent);
    put_at(destination, before);
    Bytes in_order;
    Gate gate(stream);
    expect_ok(stream.read(destination, memory, 0, kSize, COLLET_TRANSFER_NON_BLOCKING),
              "a non-blocking read");
    stream.then([&](collet_status_t) { in_order = bytes_at(destination); });
    gate.wait_until_reached();
    expect_bytes(bytes_at(destination), before, "the destination of a read behind a shut gate");
    gate.open();
    stream.finish();
    expect_bytes(in_order, sent, "the destination, as the next command saw it");
  }
}

CONFORMANCE_CASE("PLUG-STR-14 non-blocking copies use any part of pinned memory",
                 clauses("PLUG-STR-14"), needs(Capability::kPinnedMemory),
                 does("Moves parts at interior addresses to and fro, and compares all bytes.")) {
  Device& device = test.device();
  const Memory memory(device, kSize);
  const Memory pinned(device, kSize, COLLET_MEMORY_PINNED);
  std::uint8_t* const host = pinned.host_pointer();
  const Stream stream(device);
  Random random = test.random();
  for (std::uint64_t round = 0; round < 50; ++round) {
    const std::uint64_t size = random.below(kSize / 2);
    const std::uint64_t from = random.below(kSize - size);
    const std::uint64_t to = random.below(kSize - size);
    Bytes expected = payload(kSize, round);
    stream.upload(memory, expected);
    const Bytes sent = payload(kSize, round + 1000);
    put_at(host, sent);
    expect_ok(stream.write(memory, to, host + from, size, COLLET_TRANSFER_NON_BLOCKING), "write");
    put(expected, to, part_of(sent, from, size));
    expect_ok(stream.read(host, memory, 0, kSize, COLLET_TRANSFER_NON_BLOCKING), "read");
    stream.finish();
    expect_bytes(bytes_at(host), expected, "what came back");
  }
}

}  // namespace collet::conformance
