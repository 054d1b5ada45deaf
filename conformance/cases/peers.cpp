// SPDX-License-Identifier: Apache-2.0
/** Copies to other devices of the plugin that do not go through the host. */
#include <memory>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kSize = 5000;

collet_status_t connect(const Device& device, const Device& peer) {
  return call("peer.connect", device.peer().connect, device.handle(), peer.handle());
}

/** Another device, to which the judged one is connected; without one the case is not supported. */
std::unique_ptr<Device> connected_peer(Test& test) {
  std::uint32_t count = 0;
  expect_ok(call("root.device_count", test.plugin().root().device_count, &count), "device_count");
  for (std::uint32_t index = 0; index < count; ++index) {
    if (index == test.device_index()) continue;
    auto peer = std::make_unique<Device>(test.plugin(), index);
    const collet_status_t status = connect(test.device(), *peer);
    if (status == COLLET_OK) return peer;
    expect_status(status, COLLET_ERROR_UNSUPPORTED, "connecting two devices that have no way");
  }
  not_supported("copies to other devices: there is none that this one can be connected to");
}

collet_status_t copy(const Stream& stream, const Memory& dst, std::uint64_t dst_offset,
                     const Memory& src, std::uint64_t src_offset, std::uint64_t size) {
  return call("peer.copy", stream.device().peer().copy, stream.handle(), dst.handle(), dst_offset,
              src.handle(), src_offset, size);
}

}  // namespace

CONFORMANCE_CASE(
    "PLUG-PEER-1 a copy to another device moves exactly its range", clauses("PLUG-PEER-1"),
    needs(Capability::kPeers),
    does("Copies sizes 0 to 300 and some larger ones between offsets of all kinds, and "
         "looks at the bytes around.")) {
  Device& device = test.device();
  const auto peer = connected_peer(test);
  constexpr std::uint64_t kRoom = (1 << 20) + 200;
  const Memory source(device, kRoom);
  const Memory target(*peer, kRoom);
  const Stream stream(device);
  const Stream other(*peer);
  const Bytes bytes = payload(kRoom, 1);
  stream.upload(source, bytes);
  const auto expect_copy = [&](std::uint64_t to, std::uint64_t from, std::uint64_t size) {
    // What is around it is seen as far as the next 100 bytes.
    const std::uint64_t room = to + size + 100;
    Bytes expected = complement(part_of(bytes, 0, room));
    other.upload(target, expected);
    expect_ok(copy(stream, target, to, source, from, size), "peer.copy");
    stream.finish();
    put(expected, to, part_of(bytes, from, size));
    expect_bytes(other.download(target, 0, room), expected,
                 "a copy of " + std::to_string(size) + " bytes to another device");
  };
  for (std::uint64_t size = 0; size <= 300; ++size) expect_copy(size % 67, size % 31, size);
  for (const std::uint64_t size : {4095U, 4096U, 4097U, 65537U, 1U << 20}) expect_copy(65, 7, size);
}

CONFORMANCE_CASE("PLUG-PEER-2 a copy to another device runs in the order of its stream",
                 clauses("PLUG-PEER-2"), needs(Capability::kPeers),
                 does("Behind a gate, changes the source before and after the copy; none of the "
                      "calls may wait.")) {
  Device& device = test.device();
  const auto peer = connected_peer(test);
  const Memory source(device, kSize);
  const Memory target(*peer, kSize);
  const Stream stream(device);
  const Stream other(*peer);
  stream.upload(source, Bytes(kSize, 1));
  other.upload(target, Bytes(kSize, 2));
  {
    const Gate gate(stream);
    const std::uint8_t three = 3;
    const std::uint8_t four = 4;
    expect_ok(stream.fill(source, 0, kSize, &three, 1), "fill");
    collet_status_t status = COLLET_OK;
    expect_return([&] { status = copy(stream, target, 0, source, 0, kSize); },
                  "peer.copy waits for commands of its stream");
    expect_ok(status, "peer.copy");
    expect_ok(stream.fill(source, 0, kSize, &four, 1), "fill");
    expect_bytes(other.download(target), Bytes(kSize, 2), "the target of a copy behind a gate");
  }
  stream.finish();
  expect_bytes(other.download(target), Bytes(kSize, 3), "the target of a copy");
}

CONFORMANCE_CASE(
    "PLUG-PEER-2 events order a copy with the streams of the other device", clauses("PLUG-PEER-2"),
    needs(Capability::kPeers),
    does("Makes the copy wait for a gate of the other device, and a copy there for it.")) {
  Device& device = test.device();
  const auto peer = connected_peer(test);
  const Memory source(device, kSize);
  const Memory target(*peer, kSize);
  const Memory out(*peer, kSize);
  const Stream stream(device);
  const Stream other(*peer);
  const Event used(*peer);
  const Event copied(device);
  const Bytes bytes = payload(kSize, 1);
  stream.upload(source, bytes);
  {
    const Gate gate(other);
    const std::uint8_t one = 1;
    expect_ok(other.fill(target, 0, kSize, &one, 1), "fill");
    other.record(used);
    expect_ok(stream.wait(used), "wait_event");
    expect_ok(copy(stream, target, 0, source, 0, kSize), "peer.copy");
    stream.record(copied);
    expect_ok(other.wait(copied), "wait_event");
    expect_ok(other.copy(out, 0, target, 0, kSize), "copy");
    expect_status(stream.query(), COLLET_NOT_READY, "query of a copy that waits");
  }
  expect_bytes(other.download(out), bytes, "a copy behind one from another device");
}

CONFORMANCE_CASE("PLUG-PEER-3 to connect devices again changes nothing", clauses("PLUG-PEER-3"),
                 needs(Capability::kPeers),
                 does("Connects in both directions, twice, and copies.")) {
  Device& device = test.device();
  const auto peer = connected_peer(test);
  expect_ok(connect(device, *peer), "peer.connect");
  const collet_status_t back = connect(*peer, device);
  expect(back == COLLET_OK || back == COLLET_ERROR_UNSUPPORTED,
         "connecting the other way is answered with " + status_name(back));
  expect_status(connect(*peer, device), back, "connecting the other way again");
  const Memory source(device, kSize);
  const Memory target(*peer, kSize);
  const Stream stream(device);
  const Stream other(*peer);
  stream.upload(source, payload(kSize, 1));
  expect_ok(copy(stream, target, 0, source, 0, kSize), "peer.copy");
  stream.finish();
  expect_bytes(other.download(target), payload(kSize, 1), "the target of a copy");
}

}  // namespace collet::conformance
